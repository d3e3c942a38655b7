-- name: count_minute
-- Before the row of `changes`: the row of the minute $3 and that of the hour $5, which has its number in the column
-- `minute`. A slot that has an older one begins anew. Backends have rows of their own, up to 64 of them, because commits
-- that share a row wait for each other. These are the last locks that a transaction takes, so none waits for long.
INSERT INTO holdfast.run_minutes AS known (namespace, slot, writer, minute, started, succeeded, failed, cancelled)
VALUES ($1::text, $2::int4, pg_backend_pid() % 64, $3::int4, $6::int4, $7::int4, $8::int4, $9::int4),
    ($1::text, $4::int4, pg_backend_pid() % 64, $5::int4, $6::int4, $7::int4, $8::int4, $9::int4)
ON CONFLICT (namespace, slot, writer) DO UPDATE SET
    minute = excluded.minute,
    started = excluded.started + CASE WHEN known.minute = excluded.minute THEN known.started ELSE 0 END,
    succeeded = excluded.succeeded + CASE WHEN known.minute = excluded.minute THEN known.succeeded ELSE 0 END,
    failed = excluded.failed + CASE WHEN known.minute = excluded.minute THEN known.failed ELSE 0 END,
    cancelled = excluded.cancelled + CASE WHEN known.minute = excluded.minute THEN known.cancelled ELSE 0 END
WHERE excluded.minute >= known.minute;

-- name: read_minutes
-- Slots $2 up to $3, minutes or hours $4 up to $5, in buckets of $6.
SELECT minute / $6::int4, sum(started), sum(succeeded), sum(failed), sum(cancelled)
FROM holdfast.run_minutes
WHERE namespace = $1::text AND slot >= $2::int4 AND slot < $3::int4 AND minute >= $4::int4 AND minute < $5::int4
GROUP BY 1;
