-- name: hold_lease
-- The first statement of every commit. SQLite has one writer, so a commit and a reaper cannot overlap; on
-- Postgres the lock on this row prevents that. ?6: renew the lease. The end of a lease is never moved back here:
-- the keeper of the lease may have renewed it since this commit was decided.
INSERT INTO nodes (id, namespace, tick, lease_until, started_at, serves) VALUES (?1, ?2, ?3, ?4, ?5, ?7)
ON CONFLICT (id) DO UPDATE
SET tick = excluded.tick, serves = excluded.serves,
    lease_until = CASE WHEN ?6 = 1 THEN max(lease_until, excluded.lease_until) ELSE lease_until END
RETURNING started_at, NULL;

-- name: renew_lease
-- A node that lost its lease has no row, or a new one with another `started_at`. A renewal that was given up may
-- arrive after a newer one, and must not move the end of the lease back.
UPDATE nodes SET lease_until = max(lease_until, ?3) WHERE id = ?1 AND started_at = ?2
RETURNING 1;

-- name: await_commit
-- Nothing to wait for: SQLite has one writer.
SELECT 1 FROM nodes WHERE id = ?1;

-- name: find_commit
-- What became of a commit whose answer was lost. ?3 is for Postgres.
SELECT CASE WHEN tick = ?2 THEN 'committed' ELSE 'aborted' END, started_at, ?3 FROM nodes WHERE id = ?1;

-- name: delete_node
DELETE FROM nodes WHERE namespace = ?1 AND id = ?2;

-- name: list_nodes
SELECT id FROM nodes WHERE namespace = ?1;

-- name: delete_expired_nodes
-- The row of an idle node that was asked to end stays for a minute, so that the node can read it there.
DELETE FROM nodes
WHERE namespace = ?1 AND id <> ?2 AND lease_until < ?3
    AND (coalesce(drain_asked_at < ?3 - 60000000, 1) OR EXISTS (SELECT 1 FROM runs WHERE owner = nodes.id))
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
     WHERE namespace = ?1 AND NOT is_paused
         AND (workflow IN (SELECT value FROM json_each(?4)) OR workflow LIKE '%@(published flows)')),
    -- Those that have runs: an idle program writes only once that it is there, so that it does not keep its disk
    -- awake. 0 if the node has no row: explanations go by it.
    CASE WHEN ?5 IS NOT NULL THEN CASE WHEN EXISTS (SELECT 1 FROM nodes WHERE id = ?2) THEN (
        SELECT nullif(count(*), 0) FROM nodes WHERE namespace = ?1 AND serves = ?5 AND lease_until > ?6
    ) ELSE 0 END END,
    EXISTS (SELECT 1 FROM lost_runs WHERE node = ?2),
    (SELECT drain_asked_by FROM nodes WHERE id = ?2);

-- name: collect_lost_runs
-- Rows of nodes that are gone are of no use to anybody.
DELETE FROM lost_runs WHERE node = ?1 OR node NOT IN (SELECT id FROM nodes)
RETURNING node, run;

-- name: charge_stall
-- The run held up the event loop of its node for so long that the node gave up. It has had a setback, too, so
-- the next node claims it with few others. A node that was paused meanwhile may have lost the run to another.
-- The run has stalled it all the same.
INSERT INTO stalls (run, node, at, task, stack)
SELECT key, ?3, ?4, ?5, ?6 FROM runs WHERE namespace = ?1 AND key = ?2
ON CONFLICT (run, node) DO NOTHING;

-- name: add_setback
UPDATE runs SET setbacks = setbacks + 1 WHERE namespace = ?1 AND key = ?2 AND owner = ?3;

-- name: stalls_of
SELECT run, node, at, task, stack FROM stalls WHERE run = ?1;

-- name: forget_stalls
DELETE FROM stalls WHERE run = ?1;
