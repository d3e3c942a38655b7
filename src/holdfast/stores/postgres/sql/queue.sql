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
-- The queue is empty again and again, and a join that is planned then reads all of it. IS TRUE keeps it from being
-- one: the items of these runs are read, and each is looked up.
DELETE FROM holdfast.queue
WHERE run = ANY ($1::uuid[]) AND ((run, seq) IN (SELECT * FROM unnest($1, $2::int4[]))) IS TRUE;

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
-- SKIP LOCKED: what another is just taking, ending or renewing is not to be had.
SELECT run, seq, attempt, lease, worker, taken_at, created_at FROM holdfast.queue
WHERE namespace = $1::text AND service = $2::text AND ready_at <= $3::timestamptz
ORDER BY ready_at
LIMIT 1
FOR UPDATE SKIP LOCKED;

-- name: wanted_task
-- The task of an item, if anybody waits for it. Asked by itself: with an empty queue in view, a join would be planned
-- that reads all tasks.
SELECT runs.id, tasks.name, tasks.input, tasks.lost
FROM holdfast.runs CROSS JOIN holdfast.tasks
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND runs.status NOT IN ('success', 'failed', 'cancelled')
    AND tasks.run = $2 AND tasks.seq = $3::int4 AND tasks.status IN ('pending', 'dispatched', 'running');

-- name: take_item
UPDATE holdfast.queue
SET worker = $3::text, attempt = $4::int4, lease = $5::int4, taken_at = $6::timestamptz, ready_at = $7::timestamptz
WHERE run = $1::uuid AND seq = $2::int4;

-- name: end_item
-- Only for whoever took it last, also if its lease has run out. IS TRUE, here and below: with an empty queue in view,
-- what there is of a namespace would be read to find an item.
DELETE FROM holdfast.queue
WHERE run = $2::uuid AND seq = $3::int8 AND (namespace = $1::text) IS TRUE AND lease = $4::int8
    AND worker IS NOT NULL
RETURNING attempt, worker, taken_at;

-- name: find_item
SELECT 1 FROM holdfast.queue WHERE run = $2::uuid AND seq = $3::int8 AND (namespace = $1::text) IS TRUE;

-- name: renew_item
UPDATE holdfast.queue SET ready_at = $5::timestamptz
WHERE run = $2::uuid AND seq = $3::int8 AND (namespace = $1::text) IS TRUE AND lease = $4::int8
    AND worker IS NOT NULL
RETURNING 1;

-- name: renew_items_of
-- SKIP LOCKED: what is just being ended need not be renewed, and two who change several rows of the queue would else
-- wait for each other. By ctid, because that is never planned as a join that reads all of the queue.
UPDATE holdfast.queue SET ready_at = $3::timestamptz
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM holdfast.queue WHERE namespace = $1::text AND worker = $2::text FOR UPDATE SKIP LOCKED
));
