-- name: renew_lease
-- Locks the row until the commit is done. A reaper deletes it before it takes the node's runs, so it
-- passes over a node that is in the middle of a commit; and a commit that comes too late waits here
-- for the reaper to finish, and then sees the new owners.
INSERT INTO holdfast.nodes (id, namespace, tick, lease_until, started_at)
VALUES ($1::text, $2::text, $3::int8, $4::timestamptz, $5::timestamptz)
ON CONFLICT (id) DO UPDATE SET tick = excluded.tick, lease_until = excluded.lease_until;

-- name: node_tick
-- FOR UPDATE waits for a commit that is still under way on a connection that was given up.
SELECT tick FROM holdfast.nodes WHERE id = $1::text FOR UPDATE;

-- name: delete_node
DELETE FROM holdfast.nodes WHERE namespace = $1::text AND id = $2::text;

-- name: list_nodes
SELECT id FROM holdfast.nodes WHERE namespace = $1::text;

-- name: delete_expired_nodes
-- SKIP LOCKED: a node in the middle of a commit, or one that is being reaped by another, is not ours.
-- Unless it stands still in the middle of its commit, frozen or cut off from the network: nobody else
-- ends that, because between the statements of a pipeline a transaction does not count as idle. Its
-- backend, found by the transaction that holds the row, is ended, and the row is free for the next look.
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
-- Runs whose owner is gone are due at once. The epoch changes when somebody takes them. $2 is whether
-- they may be why it is gone.
UPDATE holdfast.runs SET owner = NULL, wake_at = $1::timestamptz, setbacks = setbacks + $2::int4
WHERE owner = ANY ($3::text[]);

-- name: next_work
-- One statement, because an idle node asks nothing else. An owned run has a time to wake only when
-- it has mail. Nodes that own nothing let their lease run out, and nobody need do anything about it. A
-- schedule with a tick in its queue is due when the run before it has ended.
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
