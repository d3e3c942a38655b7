-- name: fleet_nodes
-- Counts the runs of each node up to $2.
SELECT id, lease_until, seen_at, serves, started_at,
    (SELECT count(*) FROM (SELECT 1 FROM holdfast.runs WHERE owner = nodes.id LIMIT $2::int8) AS owned), report,
    drain_asked_by
FROM holdfast.nodes WHERE namespace = $1::text
ORDER BY id COLLATE "C"
LIMIT $3::int8;

-- name: queued_services
-- The services that have items, by one lookup in the index for each.
WITH RECURSIVE found (service) AS (
    SELECT (SELECT service FROM holdfast.queue
            WHERE namespace = $1::text
            ORDER BY service LIMIT 1)
    UNION ALL
    SELECT (SELECT queue.service FROM holdfast.queue
            WHERE namespace = $1 AND queue.service > found.service
            ORDER BY queue.service LIMIT 1)
    FROM found WHERE found.service IS NOT NULL
)
SELECT service FROM found WHERE service IS NOT NULL
LIMIT $2::int8;

-- name: count_queued
-- All items of a service and those that are due, up to $3, and since when the first of them is due.
SELECT wanted.service,
    (SELECT count(*) FROM (SELECT 1 FROM holdfast.queue
                           WHERE namespace = $1::text AND queue.service = wanted.service LIMIT $3::int8) AS items),
    (SELECT count(*) FROM (SELECT 1 FROM holdfast.queue
                           WHERE namespace = $1 AND queue.service = wanted.service
                               AND ready_at <= $2::timestamptz LIMIT $3) AS due),
    (SELECT ready_at FROM holdfast.queue
     WHERE namespace = $1 AND queue.service = wanted.service AND ready_at <= $2
     ORDER BY namespace, queue.service, ready_at LIMIT 1)
FROM unnest($4::text[]) AS wanted (service);

-- name: held_items
-- What workers have, from those behind the worker $2 on.
SELECT worker, run, (SELECT id FROM holdfast.runs WHERE runs.namespace = $1::text AND runs.key = queue.run),
    seq, service, attempt, taken_at, ready_at
FROM holdfast.queue
WHERE namespace = $1 AND worker > $2::text
ORDER BY worker
LIMIT $3::int8;

-- name: find_waiting_tasks
-- OFFSET 0 has each run and task looked up by its key, also while there are no statistics.
SELECT wanted.run, here.id, wanted.seq, found.name, found.created_at
FROM unnest($2::uuid[], $3::int4[]) AS wanted (run, seq)
CROSS JOIN LATERAL (
    SELECT id FROM holdfast.runs WHERE namespace = $1::text AND key = wanted.run OFFSET 0
) AS here
CROSS JOIN LATERAL (
    SELECT name, status, created_at FROM holdfast.tasks WHERE tasks.run = wanted.run AND tasks.seq = wanted.seq OFFSET 0
) AS found
WHERE found.status = 'pending';

-- name: write_node_report
UPDATE holdfast.nodes SET report = $2::text WHERE id = $1::text;

-- name: ask_drain
-- Who has asked first stays.
UPDATE holdfast.nodes
SET drain_asked_at = coalesce(drain_asked_at, $3::timestamptz), drain_asked_by = coalesce(drain_asked_by, $4::text)
WHERE namespace = $1::text AND id = $2::text
RETURNING drain_asked_by;
