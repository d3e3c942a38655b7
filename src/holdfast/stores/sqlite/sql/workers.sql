-- name: put_worker
INSERT INTO workers (namespace, id, url, services, type, load, heartbeat_at, is_online)
VALUES (?1, ?2, ?3, CAST(?4 AS TEXT), ?5, ?6, ?7, ?8)
ON CONFLICT (namespace, id) DO UPDATE
SET url = excluded.url, services = excluded.services, type = excluded.type, load = excluded.load,
    heartbeat_at = excluded.heartbeat_at, is_online = excluded.is_online;

-- name: hear_worker
UPDATE workers SET load = ?3, heartbeat_at = ?4, is_online = 1 WHERE namespace = ?1 AND id = ?2
RETURNING id;

-- name: worker_at
-- If several workers have the url, the one with the latest heartbeat.
SELECT id FROM workers WHERE namespace = ?1 AND url = ?2
ORDER BY heartbeat_at DESC, id
LIMIT 1;

-- name: list_workers
SELECT id, url, CAST(services AS BLOB), type, load, heartbeat_at, is_online
FROM workers WHERE namespace = ?1 AND heartbeat_at >= ?2
ORDER BY id;

-- name: count_workers
-- The number of online workers, and how many of these had their last heartbeat before ?2.
SELECT count(*), count(*) FILTER (WHERE heartbeat_at < ?2) FROM workers WHERE namespace = ?1 AND is_online;

-- name: mark_workers_offline
UPDATE workers SET is_online = 0 WHERE namespace = ?1 AND is_online AND heartbeat_at < ?2;
