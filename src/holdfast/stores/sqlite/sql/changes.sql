-- name: insert_change
INSERT INTO changes (namespace, at, size, body) VALUES (?1, ?2, ?3, ?4);

-- name: change_bounds
-- The oldest row and the newest. SQLite has one writer, so no row is missing below the newest; on Postgres the other
-- two numbers tell.
SELECT coalesce((SELECT min(id) FROM changes), 0), coalesce((SELECT max(id) FROM changes), 0), 0, 0;

-- name: read_changes
-- The next ?4 rows from row ?2 on, up to row ?3, and no more than ?5 bytes after the first row; those of other
-- namespaces without their body. With the oldest row that there is.
SELECT id, at, CASE WHEN namespace = ?1 THEN body END, (SELECT min(id) FROM changes)
FROM (
    SELECT id, at, namespace, body, sum(size) OVER (ORDER BY id) - size AS earlier
    FROM (
        SELECT id, at, namespace, size, body FROM changes WHERE id >= ?2 AND id <= ?3 ORDER BY id LIMIT ?4
    )
)
WHERE earlier <= ?5
ORDER BY id;

-- name: watched_runs
SELECT key, id, workflow, status, epoch, CAST(options AS BLOB) FROM runs WHERE namespace = ?1 AND key = ?2;

-- name: watched_tasks
-- With the end of the input, which holds the index in a fan-out.
SELECT run, seq, name, substr(CAST(input AS BLOB), -300) FROM tasks WHERE run = ?1 AND seq = ?2;

-- name: oldest_changes
SELECT id, at FROM changes ORDER BY id LIMIT ?1;

-- name: crowded_changes
-- The newest row that is beyond ?1 bytes or ?2 rows, counted from the newest row on.
SELECT id
FROM (
    SELECT id, sum(size) OVER (ORDER BY id DESC) AS bytes, row_number() OVER (ORDER BY id DESC) AS number
    FROM changes
)
WHERE bytes > ?1 OR number > ?2
ORDER BY id DESC
LIMIT 1;

-- name: remove_changes
-- Everything up to row ?1: a beginning of the rows, so that the oldest row says what is gone.
DELETE FROM changes WHERE id <= ?1 RETURNING id;
