-- name: put_worker
INSERT INTO holdfast.workers (namespace, id, url, services, type, load, heartbeat_at, is_online)
VALUES ($1::text, $2::text, $3::text, $4::json, $5::text, $6::int8, $7::timestamptz, $8::int4 <> 0)
ON CONFLICT (namespace, id) DO UPDATE
SET url = excluded.url, services = excluded.services, type = excluded.type, load = excluded.load,
    heartbeat_at = excluded.heartbeat_at, is_online = excluded.is_online;

-- name: hear_worker
UPDATE holdfast.workers SET load = $3::int8, heartbeat_at = $4::timestamptz, is_online = true
WHERE namespace = $1::text AND id = $2::text
RETURNING id;

-- name: worker_at
-- If several workers have the url, the one with the latest heartbeat.
SELECT id FROM holdfast.workers WHERE namespace = $1::text AND url = $2::text
ORDER BY heartbeat_at DESC, id
LIMIT 1;

-- name: list_workers
SELECT id, url, services, type, load, heartbeat_at, is_online
FROM holdfast.workers WHERE namespace = $1::text AND heartbeat_at >= $2::timestamptz
ORDER BY id;

-- name: count_workers
-- The number of online workers, and how many of these had their last heartbeat before $2.
SELECT count(*), count(*) FILTER (WHERE heartbeat_at < $2::timestamptz)
FROM holdfast.workers WHERE namespace = $1::text AND is_online;

-- name: mark_workers_offline
UPDATE holdfast.workers SET is_online = false
WHERE namespace = $1::text AND is_online AND heartbeat_at < $2::timestamptz;
