-- Whoever locks rows of several tables locks those of the queue first, then tasks, then runs: so that nobody waits
-- for one who waits for them.

-- name: queue_tasks
-- One that is there was to be tried again: whoever has it has lost it. Numbers of leases and attempts are not used
-- again: an item that comes anew counts on from its attempt, which no one before it has had.
INSERT INTO holdfast.queue (namespace, run, seq, service, attempt, lease, ready_at, created_at)
SELECT $1::text, run, seq, service, attempt, attempt - 1, ready_at, created_at
FROM unnest($2::uuid[], $3::int4[], $4::text[], $5::int4[], $6::timestamptz[], $7::timestamptz[])
    AS new (run, seq, service, attempt, ready_at, created_at)
ON CONFLICT (run, seq) DO UPDATE
SET service = excluded.service, attempt = greatest(queue.attempt, excluded.attempt),
    lease = greatest(queue.lease, excluded.lease), worker = NULL, taken_at = NULL, ready_at = excluded.ready_at,
    created_at = excluded.created_at;

-- name: unqueue_tasks
DELETE FROM holdfast.queue USING unnest($1::uuid[], $2::int4[]) AS gone (run, seq)
WHERE queue.run = gone.run AND queue.seq = gone.seq;

-- name: clear_queue
DELETE FROM holdfast.queue WHERE run = ANY ($1::uuid[]);

-- name: due_services
-- Of these services those that have something to take, the longest due first. One look into the index for each.
SELECT wanted.service
FROM unnest($2::text[]) AS wanted (service)
CROSS JOIN LATERAL (
    SELECT ready_at FROM holdfast.queue
    WHERE namespace = $1::text AND queue.service = wanted.service
    ORDER BY ready_at
    LIMIT 1
) AS first
WHERE first.ready_at <= $3::timestamptz
ORDER BY first.ready_at, wanted.service COLLATE "C";

-- name: lock_due_item
-- With what the task and its run say. An item without them is nobody's any more. SKIP LOCKED: what another is just
-- taking, ending or renewing is not to be had.
SELECT queue.run, queue.seq, queue.attempt, queue.lease, queue.worker, queue.taken_at, queue.created_at,
    runs.id, runs.status, tasks.name, tasks.status, tasks.lost, tasks.input
FROM holdfast.queue
    LEFT JOIN holdfast.runs ON runs.namespace = queue.namespace AND runs.key = queue.run
    LEFT JOIN holdfast.tasks ON tasks.run = queue.run AND tasks.seq = queue.seq
WHERE queue.namespace = $1::text AND queue.service = $2::text AND queue.ready_at <= $3::timestamptz
ORDER BY queue.ready_at, queue.run, queue.seq
LIMIT 1
FOR UPDATE OF queue SKIP LOCKED;

-- name: take_item
UPDATE holdfast.queue
SET worker = $3::text, attempt = $4::int4, lease = $5::int4, taken_at = $6::timestamptz, ready_at = $7::timestamptz
WHERE run = $1::uuid AND seq = $2::int4;

-- name: end_item
-- Only for whoever took it last, also if its lease has run out.
DELETE FROM holdfast.queue
WHERE namespace = $1::text AND run = $2::uuid AND seq = $3::int8 AND lease = $4::int8 AND worker IS NOT NULL
RETURNING attempt, worker, taken_at;

-- name: find_item
SELECT 1 FROM holdfast.queue WHERE namespace = $1::text AND run = $2::uuid AND seq = $3::int8;

-- name: renew_item
UPDATE holdfast.queue SET ready_at = $5::timestamptz
WHERE namespace = $1::text AND run = $2::uuid AND seq = $3::int8 AND lease = $4::int8 AND worker IS NOT NULL
RETURNING 1;

-- name: renew_items_of
-- SKIP LOCKED: what is just being ended need not be renewed, and two who change several rows of the queue would else
-- wait for each other.
UPDATE holdfast.queue SET ready_at = $3::timestamptz
WHERE (run, seq) IN (
    SELECT run, seq FROM holdfast.queue WHERE namespace = $1::text AND worker = $2::text FOR UPDATE SKIP LOCKED
);
