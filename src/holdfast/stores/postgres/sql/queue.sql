-- A transaction that locks rows of several tables locks the queue first, then tasks, then runs. Otherwise two
-- transactions could deadlock.

-- name: queue_tasks
-- If the item exists, the task is to be tried again, and the worker that has the item loses it. Numbers of
-- leases and attempts are never reused. A new item starts its lease from its attempt, a number that no
-- earlier item had.
INSERT INTO holdfast.queue (namespace, run, seq, service, attempt, lease, ready_at, created_at)
SELECT $1::text, run, seq, service, attempt, attempt - 1, ready_at, created_at
FROM unnest($2::uuid[], $3::int4[], $4::text[], $5::int4[], $6::timestamptz[], $7::timestamptz[])
    AS new (run, seq, service, attempt, ready_at, created_at)
ON CONFLICT (run, seq) DO UPDATE
SET service = excluded.service, attempt = greatest(queue.attempt, excluded.attempt),
    lease = greatest(queue.lease, excluded.lease), worker = NULL, taken_at = NULL, ready_at = excluded.ready_at,
    created_at = excluded.created_at;

-- name: unqueue_tasks
-- The queue is often empty, and a join that is planned at such a time reads the whole queue. IS TRUE prevents
-- a join: the items of these runs are read, and each is looked up.
DELETE FROM holdfast.queue
WHERE run = ANY ($1::uuid[]) AND ((run, seq) IN (SELECT * FROM unnest($1, $2::int4[]))) IS TRUE;

-- name: clear_queue
DELETE FROM holdfast.queue WHERE run = ANY ($1::uuid[]);

-- name: due_services
-- The services that have a due item, the longest due first. One index lookup for each service.
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
-- SKIP LOCKED skips an item that another transaction is taking, ending or renewing.
SELECT run, seq, attempt, lease, worker, taken_at, created_at FROM holdfast.queue
WHERE namespace = $1::text AND service = $2::text AND ready_at <= $3::timestamptz
ORDER BY ready_at
LIMIT 1
FOR UPDATE SKIP LOCKED;

-- name: wanted_task
-- The task of an item, if its run and the task are still open. A separate query, because a join with the
-- queue that is planned while the queue is empty reads all tasks.
SELECT runs.id, runs.options, tasks.name, tasks.input, tasks.lost, tasks.shares
FROM holdfast.runs CROSS JOIN holdfast.tasks
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND runs.status NOT IN ('success', 'failed', 'cancelled')
    AND tasks.run = $2 AND tasks.seq = $3::int4 AND tasks.status IN ('pending', 'dispatched', 'running');

-- name: take_item
UPDATE holdfast.queue
SET worker = $3::text, attempt = $4::int4, lease = $5::int4, taken_at = $6::timestamptz, ready_at = $7::timestamptz
WHERE run = $1::uuid AND seq = $2::int4;

-- name: end_item
-- Only the worker that took the item last can end it, also after its lease has run out. IS TRUE, here and
-- below, prevents a plan made for an empty queue, which would read all items of the namespace to find one.
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
-- SKIP LOCKED: an item that is being ended need not be renewed, and two transactions that each change several
-- items could otherwise deadlock. By ctid, because Postgres never plans that as a join that reads the whole
-- queue.
UPDATE holdfast.queue SET ready_at = $3::timestamptz
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM holdfast.queue WHERE namespace = $1::text AND worker = $2::text FOR UPDATE SKIP LOCKED
));

-- name: count_waiting
-- The first $4 items that a worker could take.
SELECT count(*), min(ready_at)
FROM (SELECT ready_at FROM holdfast.queue
      WHERE namespace = $1::text AND service = $2::text AND ready_at <= $3::timestamptz
      ORDER BY ready_at LIMIT $4::int4) AS waiting;
