-- Lists of runs. ?2 to ?5 are the workflow, the version, whether the run has an item in the queue, and
-- whether it has an unread cancellation. A condition that is NULL is not applied.

-- name: page_of_runs
SELECT key FROM runs
WHERE namespace = ?1
    AND (?2 IS NULL OR workflow = ?2)
    AND (?3 IS NULL OR version = ?3)
    AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
    AND (?5 IS NULL OR ?5 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM messages
                                         WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
    AND (?8 IS NULL OR status IN (SELECT value FROM json_each(?8)))
ORDER BY key DESC
LIMIT ?6 OFFSET ?7;

-- name: page_of_runs_by_status
-- For every status but success, like `list_runs_by_status`. Returns the newest ?6 runs of each status; the
-- caller merges them into a page.
SELECT key FROM runs INDEXED BY runs_by_status
WHERE namespace = ?1
    AND (?2 IS NULL OR workflow = ?2)
    AND (?3 IS NULL OR version = ?3)
    AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
    AND (?5 IS NULL OR ?5 = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM messages
                                         WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
    AND status = ?7 AND status <> 'success'
ORDER BY key DESC
LIMIT ?6;

-- name: count_runs
SELECT count(*) FROM (
    SELECT 1 FROM runs
    WHERE namespace = ?1
        AND (?2 IS NULL OR workflow = ?2)
        AND (?3 IS NULL OR version = ?3)
        AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
        AND (?5 IS NULL OR ?5 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
        AND (?7 IS NULL OR status IN (SELECT value FROM json_each(?7)))
    LIMIT ?6
);

-- name: count_runs_by_status
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_by_status
    WHERE namespace = ?1
        AND (?2 IS NULL OR workflow = ?2)
        AND (?3 IS NULL OR version = ?3)
        AND (?4 IS NULL OR ?4 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM queue WHERE run = runs.key)))
        AND (?5 IS NULL OR ?5 = (status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL)))
        AND status = ?7 AND status <> 'success'
    LIMIT ?6
);

-- name: states_of
SELECT run, key, CAST(value AS BLOB) FROM state WHERE run = ?1 ORDER BY key;

-- name: queued_of
SELECT run FROM queue WHERE run = ?1 LIMIT 1;

-- name: cancelling_of
SELECT run FROM messages WHERE run = ?1 AND kind = 'cancel' AND taken IS NULL LIMIT 1;
