-- name: insert_change
-- The last statement of a transaction. So a transaction that has waited for its locks, or has read its rows, has a
-- greater number. The transaction has written before, so it got its transaction id before this number.
INSERT INTO holdfast.changes (namespace, at, size, body) VALUES ($1::text, $2::timestamptz, $3::int4, $4::bytea);

-- name: change_bounds
-- The oldest row and the newest; the id that the next transaction gets; and the oldest transaction that is under way.
-- A row that is missing below the newest belongs to a transaction that has its id already. So once all transactions
-- below that next id have ended, all rows up to the newest are there, or will never be.
-- The end of a snapshot would not do: it comes after the last transaction that has ended, and others may have begun
-- since. age() counts from the next id, with 32 bits; the snapshot tells the others.
SELECT coalesce((SELECT min(id) FROM holdfast.changes), 0), coalesce((SELECT max(id) FROM holdfast.changes), 0),
    ended + ((age('3'::xid)::int8 + 3 - ended) % 4294967296 + 4294967296) % 4294967296,
    pg_snapshot_xmin(pg_current_snapshot())::text::int8
FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8 AS ended) AS known;

-- name: read_changes
-- The next $4 rows from row $2 on, up to row $3, and no more than $5 bytes after the first row; those of other
-- namespaces without their body. With the oldest row that there is.
SELECT id, at, CASE WHEN namespace = $1::text THEN body END, (SELECT min(id) FROM holdfast.changes)
FROM (
    SELECT id, at, namespace, body, sum(size) OVER (ORDER BY id) - size AS earlier
    FROM (
        SELECT id, at, namespace, size, body FROM holdfast.changes
        WHERE id >= $2::int8 AND id <= $3::int8 ORDER BY id LIMIT $4::int4
    ) AS next
) AS summed
WHERE earlier <= $5::int8
ORDER BY id;

-- name: watched_runs
SELECT key, id, workflow, status, epoch, options
FROM holdfast.runs WHERE namespace = $1::text AND key = ANY ($2::uuid[]);

-- name: watched_tasks
-- With the end of the input, which holds the index in a fan-out. As text, because Postgres cannot query JSON that
-- contains \u0000.
SELECT tasks.run, tasks.seq, name, convert_to(right(input::text, 300), 'UTF8')
FROM unnest($1::uuid[], $2::int4[]) AS asked (run, seq)
    JOIN holdfast.tasks ON tasks.run = asked.run AND tasks.seq = asked.seq;

-- name: oldest_changes
SELECT id, at FROM holdfast.changes ORDER BY id LIMIT $1::int4;

-- name: crowded_changes
-- The newest row that is beyond $1 bytes or $2 rows, counted from the newest row on.
SELECT id
FROM (
    SELECT id, sum(size) OVER newest AS bytes, row_number() OVER newest AS number
    FROM holdfast.changes
    WINDOW newest AS (ORDER BY id DESC)
) AS counted
WHERE bytes > $1::int8 OR number > $2::int8
ORDER BY id DESC
LIMIT 1;

-- name: remove_changes
-- Everything up to row $1: a beginning of the rows, so that the oldest row says what is gone.
DELETE FROM holdfast.changes WHERE id <= $1::int8 RETURNING id;
