-- Lists of runs: keys, the newest first. ?2 to ?4 are the version, whether the run has an item in the queue, and
-- whether it has an unread cancellation. A condition that is NULL is not applied. ?5 is a key: only older runs. ?6
-- is how many. The other parameters name the range of an index; the caller merges the pages of several ranges.

-- name: page_of_runs
-- Of all runs. ?7 is how many to skip.
SELECT key FROM runs
WHERE namespace = ?1
    AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
    AND (?2 IS NULL OR version = ?2)
    AND (?3 IS NULL OR ?3 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
    AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM messages
                                         WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
ORDER BY key DESC
LIMIT ?6 OFFSET ?7;

-- name: count_runs
SELECT count(*) FROM (
    SELECT 1 FROM runs
    WHERE namespace = ?1
        AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
        AND (?2 IS NULL OR version = ?2)
        AND (?3 IS NULL OR ?3 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
        AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
    LIMIT ?6
);

-- name: page_of_runs_by_status
-- For every status but success, which the index leaves out. INDEXED BY, because SQLite assumes that every status is
-- frequent and would scan by key, but failed runs are rare.
SELECT key FROM runs INDEXED BY runs_by_status
WHERE namespace = ?1
    AND status = ?7 AND status <> 'success'
    AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
    AND (?2 IS NULL OR version = ?2)
    AND (?3 IS NULL OR ?3 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
    AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM messages
                                         WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
ORDER BY key DESC
LIMIT ?6;

-- name: count_runs_by_status
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_by_status
    WHERE namespace = ?1
        AND status = ?7 AND status <> 'success'
        AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
        AND (?2 IS NULL OR version = ?2)
        AND (?3 IS NULL OR ?3 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
        AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
    LIMIT ?6
);

-- name: page_of_ended_runs
SELECT key FROM runs INDEXED BY runs_ended_by_workflow
WHERE namespace = ?1
    AND workflow = ?7 AND status = ?8 AND finished_at IS NOT NULL
    AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
    AND (?2 IS NULL OR version = ?2)
ORDER BY key DESC
LIMIT ?6;

-- name: count_ended_runs
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_ended_by_workflow
    WHERE namespace = ?1
        AND workflow = ?7 AND status = ?8 AND finished_at IS NOT NULL
        AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
        AND (?2 IS NULL OR version = ?2)
    LIMIT ?6
);

-- name: page_of_cold_runs
SELECT key FROM runs INDEXED BY runs_cold_by_workflow
WHERE namespace = ?1
    AND workflow = ?7 AND status = ?8 AND owner IS NULL AND finished_at IS NULL
    AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
    AND (?2 IS NULL OR version = ?2)
    AND (?3 IS NULL OR ?3 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
    AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM messages
                                         WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
ORDER BY key DESC
LIMIT ?6;

-- name: count_cold_runs
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_cold_by_workflow
    WHERE namespace = ?1
        AND workflow = ?7 AND status = ?8 AND owner IS NULL AND finished_at IS NULL
        AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
        AND (?2 IS NULL OR version = ?2)
        AND (?3 IS NULL OR ?3 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
        AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
    LIMIT ?6
);

-- name: page_of_owned_runs
-- Reads all runs that nodes have in memory.
SELECT key FROM runs INDEXED BY runs_by_owner
WHERE namespace = ?1
    AND workflow = ?7 AND owner IS NOT NULL
    AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
    AND (?2 IS NULL OR version = ?2)
    AND (?3 IS NULL OR ?3 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
    AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM messages
                                         WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
ORDER BY key DESC
LIMIT ?6;

-- name: count_owned_runs
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_by_owner
    WHERE namespace = ?1
        AND workflow = ?7 AND owner IS NOT NULL
        AND key < coalesce(?5, x'ffffffffffffffffffffffffffffffff')
        AND (?2 IS NULL OR version = ?2)
        AND (?3 IS NULL OR ?3 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
        AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
    LIMIT ?6
);

-- name: ended_workflows
-- The workflows that have ended runs, by one lookup in the index for each.
WITH RECURSIVE found (workflow) AS (
    SELECT (SELECT workflow FROM runs INDEXED BY runs_ended_by_workflow
            WHERE namespace = ?1 AND finished_at IS NOT NULL
            ORDER BY workflow LIMIT 1)
    UNION ALL
    SELECT (SELECT workflow FROM runs INDEXED BY runs_ended_by_workflow
            WHERE namespace = ?1 AND workflow > found.workflow AND finished_at IS NOT NULL
            ORDER BY workflow LIMIT 1)
    FROM found WHERE workflow IS NOT NULL
)
SELECT workflow FROM found WHERE workflow IS NOT NULL;

-- name: states_of
SELECT run, key, CAST(value AS BLOB) FROM state WHERE run = ?1 ORDER BY key;

-- name: queued_of
SELECT run FROM queue WHERE run = ?1 LIMIT 1;

-- name: cancelling_of
SELECT run FROM messages WHERE run = ?1 AND kind = 'cancel' AND taken IS NULL LIMIT 1;
