-- name: hold_lease
-- The first statement of every commit. It locks the row of the node until the commit ends. A reaper deletes that
-- row before it frees the node's runs. So a reaper skips a node that is in the middle of a commit. A commit that
-- comes too late waits here for the reaper, and then finds its runs lost.
-- KEY SHARE does not change the row, and does not hold up an UPDATE that leaves the key as it is. So the keeper of
-- the lease can renew it during a commit, however long that takes, and the row has a new version only when the
-- lease is renewed: with one for every commit, a snapshot that is held open would make each commit slower.
-- $6: renew the lease, as the first commit of a node does. The end of a lease is never moved back here: the keeper
-- may have renewed it since this commit was decided.
-- The id of the transaction is for find_commit.
WITH held AS (
    SELECT started_at FROM holdfast.nodes WHERE id = $1::text AND $6::int4 = 0 FOR KEY SHARE
), written AS (
    INSERT INTO holdfast.nodes (id, namespace, tick, lease_until, started_at, serves, seen_at)
    SELECT $1, $2::text, $3::int8, $4::timestamptz, $5::timestamptz, $7::text,
        CASE WHEN $7 IS NOT NULL THEN $5 END
    WHERE NOT EXISTS (SELECT 1 FROM held)
    ON CONFLICT (id) DO UPDATE
    SET lease_until = greatest(nodes.lease_until, excluded.lease_until), serves = excluded.serves,
        seen_at = excluded.seen_at
    RETURNING started_at
)
SELECT coalesce((SELECT started_at FROM held), (SELECT started_at FROM written)), pg_current_xact_id()::text;

-- name: renew_lease
-- A node that lost its lease has no row, or a new one with another `started_at`. A renewal that was given up may
-- arrive after a newer one, and must not move the end of the lease back.
UPDATE holdfast.nodes SET lease_until = greatest(lease_until, $3::timestamptz)
WHERE id = $1::text AND started_at = $2::timestamptz
RETURNING 1;

-- name: await_commit
-- Waits for a commit that is still under way on an abandoned connection.
SELECT 1 FROM holdfast.nodes WHERE id = $1::text FOR UPDATE;

-- name: find_commit
-- What became of a commit whose answer was lost. If it is the first of its node, there was no row to wait for, and
-- it may still be under way. A transaction of the future is one that a failover has lost; pg_xact_status would refuse to answer.
-- $2 is for SQLite.
SELECT CASE WHEN $3::text IS NULL OR $3::text::xid8 > pg_current_xact_id() THEN 'aborted'
            ELSE pg_xact_status($3::text::xid8) END,
    (SELECT started_at FROM holdfast.nodes WHERE id = $1::text), $2::int8;

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
-- The row of an idle node stays for as long as the node looks for work.
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
        AND (coalesce(seen_at < $3::timestamptz - interval '1 minute', true) OR EXISTS (SELECT 1 FROM holdfast.runs WHERE owner = nodes.id))
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
-- Nodes that serve the same workflows know of each other by this: each notes every half minute that it was here.
-- The column of peers is 0 if the node has no row.
WITH seen AS (
    UPDATE holdfast.nodes SET seen_at = $6::timestamptz
    WHERE id = $2::text AND serves = $5::text AND seen_at < $6::timestamptz - interval '30 seconds'
)
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
     WHERE namespace = $1 AND id <> $2
         AND EXISTS (SELECT 1 FROM holdfast.runs WHERE owner = nodes.id)),
    EXISTS (SELECT 1 FROM holdfast.runs WHERE owner = $2 AND wake_at IS NOT NULL),
    (SELECT min(CASE WHEN queued <> '[]' AND NOT EXISTS (
                         SELECT 1 FROM holdfast.runs
                         WHERE runs.namespace = $1 AND key = active
                             AND status NOT IN ('success', 'failed', 'cancelled'))
                     THEN cursor ELSE next_at END)
     FROM holdfast.schedules
     WHERE namespace = $1 AND NOT is_paused
         AND (workflow = ANY ($4::text[]) OR workflow LIKE '%@(published flows)')),
    CASE WHEN $5 IS NOT NULL THEN (
        SELECT count(*) FILTER (WHERE id = $2) * count(*) FROM holdfast.nodes
        WHERE namespace = $1 AND serves = $5 AND seen_at > $6::timestamptz - interval '1 minute'
    ) END,
    EXISTS (SELECT 1 FROM holdfast.lost_runs WHERE node = $2),
    (SELECT drain_asked_by FROM holdfast.nodes WHERE id = $2);

-- name: collect_lost_runs
-- Rows of nodes that are gone are of no use to anybody.
DELETE FROM holdfast.lost_runs WHERE node = $1::text OR node NOT IN (SELECT id FROM holdfast.nodes)
RETURNING node, run;

-- name: charge_stall
-- The run held up the event loop of its node for so long that the node gave up. It has had a setback, too, so
-- the next node claims it with few others. A node that was paused meanwhile may have lost the run to another.
-- The run has stalled it all the same.
INSERT INTO holdfast.stalls (run, node, at, task, stack)
SELECT key, $3::text, $4::timestamptz, $5::text, $6::text
FROM holdfast.runs WHERE namespace = $1::text AND key = $2::uuid
ON CONFLICT (run, node) DO NOTHING;

-- name: add_setback
UPDATE holdfast.runs SET setbacks = setbacks + 1
WHERE namespace = $1::text AND key = $2::uuid AND owner = $3::text;

-- name: stalls_of
SELECT stalls.run, node, at, task, stack
FROM unnest($1::uuid[]) AS wanted (run) JOIN holdfast.stalls ON stalls.run = wanted.run;

-- name: forget_stalls
DELETE FROM holdfast.stalls WHERE run = ANY ($1::uuid[]);
