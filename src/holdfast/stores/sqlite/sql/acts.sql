-- What operators do to runs. Each is for a run that no node has: the transaction has locked its row.

-- name: attached_children
-- Open children that end with their parent. A detached child has no ancestors.
SELECT parent, key, CAST(options AS BLOB) FROM runs
WHERE parent = ?1 AND depth > 0 AND status NOT IN ('success', 'failed', 'cancelled')
ORDER BY key;

-- name: terminate_runs
-- The epoch increases, so that nothing decided before can be written after. Only a run that is replaced has an owner.
UPDATE runs
SET status = 'cancelled', failure = CAST(?4 AS TEXT), owner = NULL, wake_at = NULL, finished_at = ?2, epoch = epoch + 1,
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

-- name: give_up_ids
-- The options say which id the run had.
UPDATE runs SET id = NULL, options = CAST(?3 AS TEXT) WHERE namespace = ?1 AND key = ?2;

-- name: note_lost_runs
INSERT INTO lost_runs (node, run) VALUES (?1, ?2) ON CONFLICT DO NOTHING;

-- name: pauses_of
-- Since when a paused run has been paused: its first pause after it was last resumed.
SELECT ?1, min(posted_at) FROM messages
WHERE run = ?1 AND kind = 'pause' AND posted_at IS NOT NULL
    AND id > coalesce((SELECT max(id) FROM messages WHERE run = ?1 AND kind = 'resume'), 0)
HAVING min(posted_at) IS NOT NULL;

-- name: move_backoffs
UPDATE tasks SET due_at = due_at + ?2 WHERE run = ?1 AND status = 'pending' AND due_at IS NOT NULL;

-- name: lock_queue
-- SQLite has locked the whole database already.
SELECT run, seq FROM queue WHERE run = ?1;

-- name: move_queue
UPDATE queue SET ready_at = ready_at + ?2 WHERE run = ?1 AND worker IS NULL;
