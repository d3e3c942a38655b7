-- name: renew_lease
-- Every commit renews the lease of its node. SQLite has one writer, so a commit and a reaper cannot overlap.
-- On Postgres the lock on this row prevents that.
INSERT INTO nodes (id, namespace, tick, lease_until, started_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (id) DO UPDATE SET tick = excluded.tick, lease_until = excluded.lease_until;

-- name: node_tick
SELECT tick FROM nodes WHERE id = ?1;

-- name: delete_node
DELETE FROM nodes WHERE namespace = ?1 AND id = ?2;

-- name: list_nodes
SELECT id FROM nodes WHERE namespace = ?1;

-- name: delete_expired_nodes
DELETE FROM nodes WHERE namespace = ?1 AND id <> ?2 AND lease_until < ?3
RETURNING id;

-- name: free_runs
-- Runs whose owner is gone are due at once. The epoch changes when a node claims them. ?2 is the number of
-- setbacks to add: 1 if the runs may have killed their owner, else 0.
UPDATE runs SET owner = NULL, wake_at = ?1, setbacks = setbacks + ?2 WHERE owner = ?3;

-- name: next_work
-- One statement, because an idle node sends it and little else. An owned run has a wake_at only when it
-- has mail. The expired lease of a node that owns nothing does not matter. A schedule with a tick in its
-- queue is due when the run before it has ended.
SELECT
    (SELECT min(due)
     FROM (SELECT (SELECT min(wake_at) FROM runs
                   WHERE namespace = ?1 AND claim = wanted.value AND owner IS NULL AND wake_at IS NOT NULL) AS due
           FROM json_each(?3) AS wanted)),
    (SELECT min(lease_until) FROM nodes
     WHERE namespace = ?1 AND id <> ?2 AND EXISTS (SELECT 1 FROM runs WHERE owner = nodes.id)),
    EXISTS (SELECT 1 FROM runs WHERE owner = ?2 AND wake_at IS NOT NULL),
    (SELECT min(CASE WHEN queued <> '[]' AND NOT EXISTS (
                         SELECT 1 FROM runs
                         WHERE runs.namespace = ?1 AND key = active AND status NOT IN ('success', 'failed', 'cancelled'))
                     THEN cursor ELSE next_at END)
     FROM schedules
     WHERE namespace = ?1 AND NOT is_paused AND workflow IN (SELECT value FROM json_each(?4)));
