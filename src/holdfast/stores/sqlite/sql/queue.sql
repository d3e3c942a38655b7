-- name: queue_tasks
-- If the item exists, the task is to be tried again, and the worker that has the item loses it. Numbers of
-- leases and attempts are never reused. A new item starts its lease from its attempt, a number that no
-- earlier item had.
INSERT INTO queue (namespace, run, seq, service, attempt, lease, ready_at, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?5 - 1, ?6, ?7)
ON CONFLICT (run, seq) DO UPDATE
SET service = excluded.service, attempt = max(attempt, excluded.attempt), lease = max(lease, excluded.lease),
    worker = NULL, taken_at = NULL, ready_at = excluded.ready_at, created_at = excluded.created_at;

-- name: unqueue_tasks
DELETE FROM queue WHERE run = ?1 AND seq = ?2;

-- name: clear_queue
DELETE FROM queue WHERE run = ?1;

-- name: due_services
-- The services that have a due item, the longest due first. One index lookup for each service.
SELECT service
FROM (SELECT wanted.value AS service,
             (SELECT min(ready_at) FROM queue WHERE namespace = ?1 AND queue.service = wanted.value) AS due_at
      FROM json_each(?2) AS wanted)
WHERE due_at <= ?3
ORDER BY due_at, service;

-- name: lock_due_item
SELECT run, seq, attempt, lease, worker, taken_at, created_at FROM queue
WHERE namespace = ?1 AND service = ?2 AND ready_at <= ?3
ORDER BY ready_at
LIMIT 1;

-- name: wanted_task
-- The task of an item, if its run and the task are still open.
SELECT runs.id, CAST(runs.options AS BLOB), tasks.name, CAST(tasks.input AS BLOB), tasks.lost, tasks.shares
FROM runs CROSS JOIN tasks
WHERE runs.namespace = ?1 AND runs.key = ?2 AND runs.status NOT IN ('success', 'failed', 'cancelled')
    AND tasks.run = ?2 AND tasks.seq = ?3 AND tasks.status IN ('pending', 'dispatched', 'running');

-- name: take_item
UPDATE queue SET worker = ?3, attempt = ?4, lease = ?5, taken_at = ?6, ready_at = ?7
WHERE run = ?1 AND seq = ?2;

-- name: end_item
-- Only the worker that took the item last can end it, also after its lease has run out.
DELETE FROM queue WHERE namespace = ?1 AND run = ?2 AND seq = ?3 AND lease = ?4 AND worker IS NOT NULL
RETURNING attempt, worker, taken_at;

-- name: find_item
SELECT 1 FROM queue WHERE namespace = ?1 AND run = ?2 AND seq = ?3;

-- name: renew_item
UPDATE queue SET ready_at = ?5 WHERE namespace = ?1 AND run = ?2 AND seq = ?3 AND lease = ?4 AND worker IS NOT NULL
RETURNING 1;

-- name: renew_items_of
UPDATE queue SET ready_at = ?3 WHERE namespace = ?1 AND worker = ?2;

-- name: count_waiting
-- The first ?4 items that a worker could take.
SELECT count(*), min(ready_at)
FROM (SELECT ready_at FROM queue INDEXED BY queue_to_take
      WHERE namespace = ?1 AND service = ?2 AND ready_at <= ?3
      ORDER BY ready_at LIMIT ?4);
