-- What operators do to runs. Each is for a run that no node has: the transaction has locked its row.

-- name: attached_children
-- Open children that end with their parent. A detached child has no ancestors.
SELECT parent, key, CAST(options AS BLOB) FROM runs
WHERE parent = ?1 AND depth > 0 AND status NOT IN ('success', 'failed', 'cancelled')
ORDER BY key;

-- name: terminate_runs
-- The epoch increases, so that nothing decided before can be written after.
UPDATE runs
SET status = 'cancelled', failure = CAST(?4 AS TEXT), wake_at = NULL, finished_at = ?2, epoch = epoch + 1,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
WHERE namespace = ?1 AND key = ?3;

-- name: pause_runs
-- The deadline of a run counts while it is paused.
UPDATE runs
SET status = 'paused', wake_at = json_extract(options, '$.deadline'),
    waiting = ?3, waiting_kind = ?4, waiting_name = ?5, waiting_epoch = epoch
WHERE namespace = ?1 AND key = ?2;

-- name: end_backoffs_in_queue
-- The text is the name or the number of the task. Empty: every task of the run.
UPDATE queue SET ready_at = ?1
WHERE run = ?2 AND worker IS NULL AND ready_at > ?1
    AND (?3 = '' OR CAST(seq AS TEXT) = ?3
         OR (SELECT name FROM tasks WHERE tasks.run = queue.run AND tasks.seq = queue.seq) = ?3);

-- name: hold_queue
-- While its run is paused, no worker takes the item. The far future stands for the end of the pause.
UPDATE queue SET ready_at = ready_at + 3155760000000000 WHERE run = ?1 AND worker IS NULL;

-- name: let_queue_go
UPDATE queue SET ready_at = ready_at - 3155760000000000 WHERE run = ?1 AND worker IS NULL AND ready_at > ?2;
