-- name: count_minute
-- Before the row of `changes`. A slot that has an older minute begins anew. Several backends may share a row: it is the
-- last lock that their transactions take, so they wait for each other only until a commit is done.
INSERT INTO holdfast.run_minutes AS known (namespace, slot, writer, minute, started, succeeded, failed, cancelled)
VALUES ($1::text, $2::int4, pg_backend_pid() % 4, $3::int4, $4::int4, $5::int4, $6::int4, $7::int4)
ON CONFLICT (namespace, slot, writer) DO UPDATE SET
    minute = excluded.minute,
    started = excluded.started + CASE WHEN known.minute = excluded.minute THEN known.started ELSE 0 END,
    succeeded = excluded.succeeded + CASE WHEN known.minute = excluded.minute THEN known.succeeded ELSE 0 END,
    failed = excluded.failed + CASE WHEN known.minute = excluded.minute THEN known.failed ELSE 0 END,
    cancelled = excluded.cancelled + CASE WHEN known.minute = excluded.minute THEN known.cancelled ELSE 0 END
WHERE excluded.minute >= known.minute;

-- name: read_minutes
-- Slots $2 up to $3, minutes $4 up to $5, in buckets of $6 minutes.
SELECT minute / $6::int4, sum(started), sum(succeeded), sum(failed), sum(cancelled)
FROM holdfast.run_minutes
WHERE namespace = $1::text AND slot >= $2::int4 AND slot < $3::int4 AND minute >= $4::int4 AND minute < $5::int4
GROUP BY 1;
