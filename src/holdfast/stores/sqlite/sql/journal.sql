-- name: insert_steps
INSERT INTO journal (run, position, step) VALUES (?1, ?2, ?3);

-- name: steps_of
SELECT run, position, step FROM journal WHERE run = ?1 ORDER BY position;

-- name: history_sizes
-- How many rows are read of a run, about: numbers of steps and tasks have no gaps, so the last one says how many.
-- And how many bytes, if these are no more than ?1 rows.
SELECT run, size, CASE WHEN size > ?1 THEN 0 ELSE
    coalesce((
        SELECT sum(coalesce(octet_length(output), 0) + iif(finished_at IS NULL, octet_length(input), 0))
        FROM tasks WHERE tasks.run = found.run
    ), 0)
    + coalesce((
        SELECT sum(octet_length(payload)) FROM messages
        WHERE messages.run = found.run AND (taken IS NOT NULL OR kind = 'child')
    ), 0)
    END
FROM (
    SELECT ?2 AS run,
        coalesce((SELECT max(position) + 1 FROM journal WHERE run = ?2), 0)
        + coalesce((SELECT max(seq) + 1 FROM tasks WHERE run = ?2), 0)
        + (SELECT count(*) FROM messages WHERE run = ?2 AND (taken IS NOT NULL OR kind = 'child'))
        + (SELECT count(*) FROM runs WHERE parent = ?2) AS size
) AS found;

-- name: page_of_steps
SELECT position, step FROM journal WHERE run = ?1 AND position >= ?2 ORDER BY position LIMIT ?3;

-- name: set_state
INSERT INTO state (run, key, value) VALUES (?1, ?2, CAST(?3 AS TEXT))
ON CONFLICT (run, key) DO UPDATE SET value = excluded.value;

-- name: delete_state
DELETE FROM state WHERE run = ?1 AND key = ?2;

-- name: clear_state
DELETE FROM state WHERE run = ?1;

-- name: read_state
SELECT state.key, CAST(value AS BLOB)
FROM runs JOIN state ON state.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2
ORDER BY state.key;
