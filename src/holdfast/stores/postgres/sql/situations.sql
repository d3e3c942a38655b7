-- name: serving_nodes
-- All nodes of a namespace, with the claims that each serves.
SELECT id, lease_until, seen_at, serves FROM holdfast.nodes WHERE namespace = $1::text ORDER BY id;

-- name: first_wait
-- What the run waited for first when that was last written, if it has had no other owner since.
SELECT waiting_kind, waiting_name FROM holdfast.runs
WHERE namespace = $1::text AND key = $2::uuid AND waiting_epoch = epoch AND waiting_kind IS NOT NULL;

-- name: count_open_tasks
SELECT status, due_at IS NOT NULL, count(*) FROM holdfast.tasks
WHERE run = $1::uuid AND status IN ('pending', 'dispatched', 'running')
GROUP BY 1, 2;

-- name: some_open_tasks
-- Those in backoff first, then those under way. NULL for a large input.
SELECT seq, name, status, attempt, lost, forgiven, due_at, created_at, started_at,
    CASE WHEN octet_length(input::text) <= 2000 THEN input END
FROM holdfast.tasks
WHERE run = $1::uuid AND status IN ('pending', 'dispatched', 'running')
ORDER BY CASE WHEN due_at IS NOT NULL THEN 0 WHEN status = 'running' THEN 1 WHEN status = 'dispatched' THEN 2 ELSE 3 END, seq
LIMIT $2::int4;

-- name: some_queue_items
SELECT seq, service, worker, ready_at, taken_at, created_at FROM holdfast.queue
WHERE run = $1::uuid ORDER BY seq LIMIT $2::int4;

-- name: count_open_children
-- Of the last chapter, whose first child is $2.
SELECT count(*) FROM holdfast.runs
WHERE parent = $1::uuid AND parent_seq >= $2::int4 AND status NOT IN ('success', 'failed', 'cancelled');

-- name: some_open_children
SELECT key, id, workflow, status, created_at FROM holdfast.runs
WHERE parent = $1::uuid AND parent_seq >= $2::int4 AND status NOT IN ('success', 'failed', 'cancelled')
ORDER BY parent_seq LIMIT $3::int4;

-- name: unread_message_names
SELECT kind, name, count(*), min(posted_at) FROM holdfast.messages WHERE run = $1::uuid AND taken IS NULL
GROUP BY kind, name ORDER BY min(id) LIMIT $2::int4;

-- name: heard_message_names
-- The messages that the run has read in its steps from $2 on.
SELECT kind, name, count(*), max(taken) FROM holdfast.messages
WHERE run = $1::uuid AND taken >= $2::int4 GROUP BY kind, name;

-- name: open_updates
-- Updates that the run has taken and not answered.
SELECT name, count(*), min(posted_at) FROM holdfast.messages
WHERE run = $1::uuid AND kind = 'update' AND taken >= 0 AND answer IS NULL
GROUP BY name ORDER BY min(id) LIMIT $2::int4;

-- name: some_busy_tasks
-- Tasks that a node has in its slots. Workers have those of the queue.
SELECT runs.key, runs.id, tasks.seq, tasks.name, tasks.started_at
FROM holdfast.runs
CROSS JOIN LATERAL (
    SELECT seq, name, started_at FROM holdfast.tasks
    WHERE tasks.run = runs.key AND tasks.status IN ('dispatched', 'running')
        AND NOT EXISTS (SELECT 1 FROM holdfast.queue WHERE queue.run = tasks.run AND queue.seq = tasks.seq OFFSET 0)
    OFFSET 0
) AS tasks
WHERE runs.owner = $1::text
LIMIT $2::int4;

-- name: last_steps
SELECT position, step FROM holdfast.journal WHERE run = $1::uuid ORDER BY position DESC LIMIT $2::int4;

-- name: due_claims
-- Each claim that has a run to be claimed: one lookup for each.
WITH RECURSIVE found (claim) AS (
    SELECT (SELECT claim FROM holdfast.runs
            WHERE namespace = $1::text AND owner IS NULL AND wake_at IS NOT NULL
            ORDER BY namespace, claim, wake_at LIMIT 1)
    UNION ALL
    SELECT (SELECT runs.claim FROM holdfast.runs
            WHERE namespace = $1 AND runs.claim > found.claim AND owner IS NULL AND wake_at IS NOT NULL
            ORDER BY namespace, claim, wake_at LIMIT 1)
    FROM found WHERE found.claim IS NOT NULL
)
SELECT claim FROM found WHERE claim IS NOT NULL;

-- name: due_runs_of
SELECT key, id, workflow, status FROM holdfast.runs
WHERE namespace = $1::text AND claim = $2::text AND owner IS NULL AND wake_at <= $3::timestamptz
ORDER BY wake_at LIMIT $4::int4;

-- name: count_due_runs
-- By workflow, among the $4 runs of the claim that have been due longest.
SELECT workflow, count(*), min(wake_at)
FROM (SELECT workflow, wake_at FROM holdfast.runs
      WHERE namespace = $1::text AND claim = $2::text AND owner IS NULL AND wake_at <= $3::timestamptz
      ORDER BY wake_at LIMIT $4::int4) AS due
GROUP BY workflow;

-- name: count_tasks
-- By state, among the first $2 tasks.
SELECT status, count(*)
FROM (SELECT status FROM holdfast.tasks WHERE run = $1::uuid ORDER BY seq LIMIT $2::int4) AS asked
GROUP BY status;

-- name: count_children
SELECT count(*) FROM (SELECT 1 FROM holdfast.runs WHERE parent = $1::uuid LIMIT $2::int4) AS found;

-- name: time_of_questions
-- How many there are, and for how long all of them were open, until $2, in microseconds.
SELECT count(*),
    coalesce(sum(greatest((date_part('epoch', coalesce(closed_at, $2::timestamptz) - asked_at) * 1000000)::int8, 0)), 0)::int8
FROM (SELECT closed_at, asked_at FROM holdfast.questions WHERE run = $1::uuid ORDER BY number LIMIT $3::int4) AS found;
