-- name: fleet_nodes
-- Counts the runs of each node up to ?2.
SELECT id, lease_until, seen_at, serves, started_at,
    (SELECT count(*) FROM (SELECT 1 FROM runs WHERE owner = nodes.id LIMIT ?2)), report,
    drain_asked_by
FROM nodes WHERE namespace = ?1
ORDER BY id
LIMIT ?3;

-- name: queued_services
-- The services that have items, by one lookup in the index for each.
WITH RECURSIVE found (service) AS (
    SELECT (SELECT service FROM queue INDEXED BY queue_to_take
            WHERE namespace = ?1
            ORDER BY service LIMIT 1)
    UNION ALL
    SELECT (SELECT service FROM queue INDEXED BY queue_to_take
            WHERE namespace = ?1 AND service > found.service
            ORDER BY service LIMIT 1)
    FROM found WHERE service IS NOT NULL
)
SELECT service FROM found WHERE service IS NOT NULL
LIMIT ?2;

-- name: count_queued
-- All items of a service and those that are due, up to ?3, and since when the first of them is due.
SELECT ?4,
    (SELECT count(*) FROM (SELECT 1 FROM queue INDEXED BY queue_to_take
                           WHERE namespace = ?1 AND service = ?4 LIMIT ?3)),
    (SELECT count(*) FROM (SELECT 1 FROM queue INDEXED BY queue_to_take
                           WHERE namespace = ?1 AND service = ?4 AND ready_at <= ?2 LIMIT ?3)),
    (SELECT min(ready_at) FROM queue INDEXED BY queue_to_take
     WHERE namespace = ?1 AND service = ?4 AND ready_at <= ?2);

-- name: held_items
-- What workers have, from those behind the worker ?2 on.
SELECT worker, run, (SELECT id FROM runs WHERE runs.namespace = ?1 AND runs.key = queue.run),
    seq, service, attempt, taken_at, ready_at
FROM queue INDEXED BY queue_by_worker
WHERE namespace = ?1 AND worker > ?2
ORDER BY worker
LIMIT ?3;

-- name: find_waiting_tasks
SELECT tasks.run, runs.id, seq, name, tasks.created_at
FROM tasks CROSS JOIN runs ON runs.namespace = ?1 AND runs.key = tasks.run
WHERE run = ?2 AND seq = ?3 AND tasks.status = 'pending';

-- name: write_node_report
UPDATE nodes SET report = ?2 WHERE id = ?1;

-- name: ask_drain
-- Who has asked first stays.
UPDATE nodes
SET drain_asked_at = coalesce(drain_asked_at, ?3), drain_asked_by = coalesce(drain_asked_by, ?4)
WHERE namespace = ?1 AND id = ?2
RETURNING drain_asked_by;
