-- name: count_minute
-- Before the row of `changes`: the row of the minute ?3 and that of the hour ?5, which has its number in the column
-- `minute`. A slot that has an older one begins anew.
INSERT INTO run_minutes (namespace, slot, writer, minute, started, succeeded, failed, cancelled)
VALUES (?1, ?2, 0, ?3, ?6, ?7, ?8, ?9), (?1, ?4, 0, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (namespace, slot, writer) DO UPDATE SET
    minute = excluded.minute,
    started = excluded.started + CASE WHEN minute = excluded.minute THEN started ELSE 0 END,
    succeeded = excluded.succeeded + CASE WHEN minute = excluded.minute THEN succeeded ELSE 0 END,
    failed = excluded.failed + CASE WHEN minute = excluded.minute THEN failed ELSE 0 END,
    cancelled = excluded.cancelled + CASE WHEN minute = excluded.minute THEN cancelled ELSE 0 END
WHERE excluded.minute >= minute;

-- name: read_minutes
-- Slots ?2 up to ?3, minutes or hours ?4 up to ?5, in buckets of ?6.
SELECT minute / ?6, sum(started), sum(succeeded), sum(failed), sum(cancelled)
FROM run_minutes
WHERE namespace = ?1 AND slot >= ?2 AND slot < ?3 AND minute >= ?4 AND minute < ?5
GROUP BY 1;
