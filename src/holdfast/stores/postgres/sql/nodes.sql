-- name: renew_lease
-- Locks the row of the node until the commit ends. A reaper deletes that row before it frees the node's runs.
-- So a reaper skips a node that is in the middle of a commit. A commit that comes too late waits here for the
-- reaper, and then finds its runs lost.
INSERT INTO holdfast.nodes (id, namespace, tick, lease_until, started_at)
VALUES ($1::text, $2::text, $3::int8, $4::timestamptz, $5::timestamptz)
ON CONFLICT (id) DO UPDATE SET tick = excluded.tick, lease_until = excluded.lease_until;

-- name: node_tick
-- FOR UPDATE waits for a commit that is still under way on an abandoned connection.
SELECT tick FROM holdfast.nodes WHERE id = $1::text FOR UPDATE;

-- name: delete_node
DELETE FROM holdfast.nodes WHERE namespace = $1::text AND id = $2::text;

-- name: list_nodes
SELECT id FROM holdfast.nodes WHERE namespace = $1::text;

-- name: delete_expired_nodes
-- SKIP LOCKED skips a node that is in the middle of a commit, or that another node is reaping. A node may
-- also hang in the middle of its commit, frozen or cut off from the network. The idle timeout does not end
-- its transaction, because between the statements of a pipeline a transaction does not count as idle. So its
-- backend, found by the transaction that holds the row, is terminated here. The next reaper finds the row
-- free.
WITH stuck AS (
    SELECT pg_terminate_backend(backend.pid)
    FROM holdfast.nodes AS node
    JOIN pg_stat_activity AS backend ON backend.backend_xid = node.xmax
    WHERE node.namespace = $1::text AND node.id <> $2::text AND node.lease_until < $3::timestamptz
      AND backend.wait_event = 'ClientRead' AND backend.state_change < clock_timestamp() - interval '1 second'
)
DELETE FROM holdfast.nodes
WHERE id IN (
    SELECT id FROM holdfast.nodes
    WHERE namespace = $1 AND id <> $2 AND lease_until < $3
    FOR UPDATE SKIP LOCKED
) AND (SELECT count(*) FROM stuck) >= 0
RETURNING id;

-- name: free_runs
-- Runs whose owner is gone are due at once. The epoch changes when a node claims them. $2 is the number of
-- setbacks to add: 1 if the runs may have killed their owner, else 0.
UPDATE holdfast.runs SET owner = NULL, wake_at = $1::timestamptz, setbacks = setbacks + $2::int4
WHERE owner = ANY ($3::text[]);

-- name: next_work
-- One statement, because an idle node sends it and little else. An owned run has a wake_at only when it
-- has mail. The expired lease of a node that owns nothing does not matter. A schedule with a tick in its
-- queue is due when the run before it has ended.
SELECT
    (SELECT min(due.wake_at)
     FROM unnest($3::text[]) AS wanted (claim)
     CROSS JOIN LATERAL (
         SELECT wake_at FROM holdfast.runs
         WHERE namespace = $1::text AND claim = wanted.claim AND owner IS NULL AND wake_at IS NOT NULL
         ORDER BY wake_at
         LIMIT 1
     ) AS due),
    (SELECT min(lease_until) FROM holdfast.nodes
     WHERE namespace = $1 AND id <> $2::text
         AND EXISTS (SELECT 1 FROM holdfast.runs WHERE owner = nodes.id)),
    EXISTS (SELECT 1 FROM holdfast.runs WHERE owner = $2 AND wake_at IS NOT NULL),
    (SELECT min(CASE WHEN queued <> '[]' AND NOT EXISTS (
                         SELECT 1 FROM holdfast.runs
                         WHERE runs.namespace = $1 AND key = active
                             AND status NOT IN ('success', 'failed', 'cancelled'))
                     THEN cursor ELSE next_at END)
     FROM holdfast.schedules
     WHERE namespace = $1 AND NOT is_paused AND workflow = ANY ($4::text[]));
