-- name: serving_nodes
-- All nodes of a namespace, with the claims that each serves.
SELECT id, lease_until, seen_at, serves FROM nodes WHERE namespace = ?1 ORDER BY id;

-- name: first_wait
-- What the run waited for first when that was last written, if it has had no other owner since.
SELECT waiting_kind, waiting_name FROM runs
WHERE namespace = ?1 AND key = ?2 AND waiting_epoch = epoch AND waiting_kind IS NOT NULL;

-- name: count_open_tasks
SELECT status, due_at IS NOT NULL, count(*) FROM tasks
WHERE run = ?1 AND status IN ('pending', 'dispatched', 'running')
GROUP BY 1, 2;

-- name: some_open_tasks
-- Those in backoff first, then those under way. NULL for a large input.
SELECT seq, name, status, attempt, lost, forgiven, due_at, created_at, started_at,
    CASE WHEN octet_length(input) <= 2000 THEN CAST(input AS BLOB) END
FROM tasks
WHERE run = ?1 AND status IN ('pending', 'dispatched', 'running')
ORDER BY CASE WHEN due_at IS NOT NULL THEN 0 WHEN status = 'running' THEN 1 WHEN status = 'dispatched' THEN 2 ELSE 3 END, seq
LIMIT ?2;

-- name: some_queue_items
SELECT seq, service, worker, ready_at, taken_at, created_at FROM queue WHERE run = ?1 ORDER BY seq LIMIT ?2;

-- name: count_open_children
-- Of the last chapter, whose first child is ?2.
SELECT count(*) FROM runs WHERE parent = ?1 AND parent_seq >= ?2 AND status NOT IN ('success', 'failed', 'cancelled');

-- name: some_open_children
SELECT key, id, workflow, status, created_at FROM runs
WHERE parent = ?1 AND parent_seq >= ?2 AND status NOT IN ('success', 'failed', 'cancelled')
ORDER BY parent_seq LIMIT ?3;

-- name: unread_message_names
SELECT kind, name, count(*), min(posted_at) FROM messages WHERE run = ?1 AND taken IS NULL
GROUP BY kind, name ORDER BY min(id) LIMIT ?2;

-- name: heard_message_names
-- The messages that the run has read in its steps from ?2 on.
SELECT kind, name, count(*), max(taken) FROM messages WHERE run = ?1 AND taken >= ?2 GROUP BY kind, name;

-- name: open_updates
-- Updates that the run has taken and not answered.
SELECT name, count(*), min(posted_at) FROM messages
WHERE run = ?1 AND kind = 'update' AND taken >= 0 AND answer IS NULL
GROUP BY name ORDER BY min(id) LIMIT ?2;

-- name: some_busy_tasks
-- Tasks that a node has in its slots. Workers have those of the queue.
SELECT runs.key, runs.id, tasks.seq, tasks.name, tasks.started_at
FROM runs INDEXED BY runs_by_owner CROSS JOIN tasks ON tasks.run = runs.key
WHERE runs.owner = ?1 AND tasks.status IN ('dispatched', 'running')
    AND NOT EXISTS (SELECT 1 FROM queue WHERE queue.run = tasks.run AND queue.seq = tasks.seq)
LIMIT ?2;

-- name: last_steps
SELECT position, step FROM journal WHERE run = ?1 ORDER BY position DESC LIMIT ?2;

-- name: due_claims
-- Each claim that has a run to be claimed: one lookup for each.
WITH RECURSIVE found (claim) AS (
    SELECT (SELECT claim FROM runs INDEXED BY runs_to_claim
            WHERE namespace = ?1 AND owner IS NULL AND wake_at IS NOT NULL
            ORDER BY claim LIMIT 1)
    UNION ALL
    SELECT (SELECT claim FROM runs INDEXED BY runs_to_claim
            WHERE namespace = ?1 AND claim > found.claim AND owner IS NULL AND wake_at IS NOT NULL
            ORDER BY claim LIMIT 1)
    FROM found WHERE claim IS NOT NULL
)
SELECT claim FROM found WHERE claim IS NOT NULL;

-- name: due_runs_of
SELECT key, id, workflow, status FROM runs INDEXED BY runs_to_claim
WHERE namespace = ?1 AND claim = ?2 AND owner IS NULL AND wake_at <= ?3
ORDER BY wake_at LIMIT ?4;

-- name: count_due_runs
-- By workflow, among the ?4 runs of the claim that have been due longest.
SELECT workflow, count(*), min(wake_at)
FROM (SELECT workflow, wake_at FROM runs INDEXED BY runs_to_claim
      WHERE namespace = ?1 AND claim = ?2 AND owner IS NULL AND wake_at <= ?3
      ORDER BY wake_at LIMIT ?4)
GROUP BY workflow;

-- name: count_tasks
-- By state, among the first ?2 tasks.
SELECT status, count(*) FROM (SELECT status FROM tasks WHERE run = ?1 ORDER BY seq LIMIT ?2) GROUP BY status;

-- name: count_children
SELECT count(*) FROM (SELECT 1 FROM runs INDEXED BY runs_by_parent WHERE parent = ?1 LIMIT ?2);

-- name: time_of_questions
-- How many there are, and for how long all of them were open, until ?2.
SELECT count(*), coalesce(sum(max(coalesce(closed_at, ?2) - asked_at, 0)), 0)
FROM (SELECT closed_at, asked_at FROM questions WHERE run = ?1 ORDER BY number LIMIT ?3);
