-- name: insert_runs
-- A key or an id that exists is left as it is. Who they are is asked only when some were: on SQLite,
-- RETURNING would double the cost of a start.
INSERT INTO runs (key, namespace, id, workflow, version, claim, status, input, output, failure, parent, parent_seq,
                  owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth,
                  schedule)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, CAST(?8 AS TEXT), ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
        ?22)
ON CONFLICT DO NOTHING;

-- name: find_taken
-- For a new run that could not be added: the run that has its key or its id.
SELECT ?2, key FROM runs WHERE namespace = ?1 AND key = ?2
UNION ALL
SELECT ?2, key FROM runs WHERE namespace = ?1 AND id = ?3 AND key <> ?2;

-- name: find_lost
-- Of the runs a commit touches, those that its node no longer owns under that epoch.
SELECT ?3 WHERE NOT EXISTS (
    SELECT 1 FROM runs WHERE namespace = ?1 AND key = ?3 AND owner = ?2 AND epoch = ?4
);

-- name: lock_runs
-- The state of runs that this transaction is about to change, fixed until it ends. Here the whole
-- database is; on Postgres the rows are locked, in the order of their keys.
SELECT key, status FROM runs WHERE namespace = ?1 AND key = ?2;

-- name: wake_runs
-- Mail does not wake parked and paused runs, nor those that wait for their turn; when they go on they read it.
UPDATE runs SET wake_at = min(coalesce(wake_at, ?2), ?2)
WHERE namespace = ?1 AND key = ?3 AND status IN ('pending', 'running')
    AND (waiting_kind = 'turn' AND waiting_epoch = epoch) IS NOT TRUE;

-- name: wake_held_runs
-- Those whose turn has come.
UPDATE runs SET wake_at = min(coalesce(wake_at, ?2), ?2)
WHERE namespace = ?1 AND key = ?3 AND status = 'running';

-- name: wake_cancelled_runs
-- Those that are asked to end, also parked ones: whoever takes one ends it, whatever its code is. They come before
-- all that was created since, and so before what they have started: else a family may grow faster than it ends.
UPDATE runs SET wake_at = min(coalesce(wake_at, created_at), created_at)
WHERE namespace = ?1 AND key = ?2 AND status IN ('pending', 'running', 'parked');

-- name: end_runs
-- ?6 and ?7 are the parent, which hears of it by mail.
UPDATE runs
SET status = ?3, output = CAST(?4 AS TEXT), failure = CAST(?5 AS TEXT), finished_at = ?8,
    owner = NULL, wake_at = NULL, waiting = NULL
WHERE namespace = ?1 AND key = ?2;

-- name: release_runs
-- Mail that came since it was last collected has set a time to wake, and the earlier one counts. What
-- is parked is woken by a cancellation only.
UPDATE runs
SET status = ?3, failure = CAST(?4 AS TEXT), waiting = ?6, waiting_kind = ?7, waiting_name = ?8, waiting_epoch = epoch,
    owner = NULL,
    wake_at = CASE WHEN ?3 IN ('pending', 'running') THEN min(coalesce(?5, wake_at), coalesce(wake_at, ?5))
                   WHEN ?3 = 'parked' THEN ?5 END,
    setbacks = CASE WHEN ?3 = 'parked' THEN setbacks + 1 ELSE 0 END
WHERE namespace = ?1 AND key = ?2;

-- name: collect_mail
-- While a run is owned, only mail gives it a time to wake.
UPDATE runs SET wake_at = NULL WHERE owner = ?1 AND wake_at IS NOT NULL
RETURNING key;

-- name: due_runs
-- Whatever has a time to wake can be taken, also a parked run that is to be tried again.
SELECT key, status, wake_at, setbacks FROM runs
WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2
ORDER BY wake_at
LIMIT ?3;

-- name: due_of
SELECT key, status, wake_at, setbacks FROM runs
WHERE namespace = ?1 AND key = ?3 AND owner IS NULL AND wake_at <= ?2;

-- name: wake_times_of
SELECT wake_at FROM runs
WHERE namespace = ?1 AND key = ?2 AND owner IS NULL AND wake_at IS NOT NULL;

-- name: claim_runs
UPDATE runs
SET owner = ?2, epoch = epoch + 1, wake_at = NULL, status = 'running', failure = NULL,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL,
    started_at = coalesce(started_at, ?3)
WHERE namespace = ?1 AND key = ?4
RETURNING key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule;

-- name: prove_runs
UPDATE runs SET setbacks = 0 WHERE namespace = ?1 AND key = ?2;

-- name: owned_runs
-- The last column: it has no journal yet.
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    NOT EXISTS (SELECT 1 FROM journal WHERE journal.run = runs.key)
FROM runs WHERE owner = ?1
ORDER BY key;

-- name: runs_of
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule
FROM runs WHERE namespace = ?1 AND key = ?2;

-- name: ended_runs
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule
FROM runs WHERE namespace = ?1 AND key = ?2 AND status IN ('success', 'failed', 'cancelled');

-- name: find_run
-- By the user's name for it first: a run may be named like the key of another.
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule
FROM runs
WHERE namespace = ?1 AND key = coalesce((SELECT key FROM runs WHERE namespace = ?1 AND id = ?2), ?3);

-- name: list_runs
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule
FROM runs
WHERE namespace = ?1
    AND (?2 IS NULL OR status = ?2)
    AND (?3 IS NULL OR workflow = ?3)
    AND key < coalesce(?4, x'ffffffffffffffffffffffffffffffff')
ORDER BY key DESC
LIMIT ?5;

-- name: list_runs_by_status
-- For every status but success, which has no entries in the index: there is little else to step over.
-- INDEXED BY, because SQLite expects a row of that status on every page, and failed ones are far between.
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule
FROM runs INDEXED BY runs_by_status
WHERE namespace = ?1
    AND status = ?2 AND status <> 'success'
    AND (?3 IS NULL OR workflow = ?3)
    AND key < coalesce(?4, x'ffffffffffffffffffffffffffffffff')
ORDER BY key DESC
LIMIT ?5;

-- name: children_of
-- A child is in the namespace of its parent.
SELECT parent, parent_seq, key, status, CAST(output AS BLOB), CAST(failure AS BLOB)
FROM runs WHERE parent = ?1
ORDER BY parent_seq;

-- name: reopen_runs
-- The epoch counts on, so that nothing decided before this can be written after it.
UPDATE runs
SET status = 'running', output = NULL, failure = NULL, finished_at = NULL,
    waiting = ?5, waiting_kind = ?6, waiting_name = ?7, waiting_epoch = epoch + 1,
    owner = NULL, epoch = epoch + 1, wake_at = ?4, setbacks = 0
WHERE namespace = ?1 AND key = ?2 AND epoch = ?3 AND status IN ('success', 'failed', 'cancelled')
RETURNING key;

-- name: unpark_runs
UPDATE runs
SET status = 'running', failure = NULL, wake_at = ?2, setbacks = 0,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
WHERE namespace = ?1 AND key = ?3 AND status IN ('parked', 'paused')
RETURNING key;

-- name: cancel_parked_run
UPDATE runs
SET status = 'cancelled', failure = CAST(?4 AS TEXT), wake_at = NULL, finished_at = ?3,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
WHERE namespace = ?1 AND key = ?2 AND epoch = ?5 AND status = 'parked'
RETURNING key;

-- name: stranded_runs
-- Every run that is not over and not in an operator's hands has a node, a due time, mail that has
-- set one, or something outside to wait for. These have none of them; or were due before ?2, and
-- no node has any run of their workflow: one that is behind with its work is no reason to call a doctor.
SELECT key, id, workflow, status,
    CASE
        WHEN owner IS NULL AND wake_at IS NOT NULL
            THEN 'it is long due, and no node takes it or others like it; is there one that has ' || claim || '?'
        WHEN owner IS NOT NULL THEN 'its node ' || owner || ' is gone and nobody has freed it'
        WHEN waiting_kind = 'turn' AND waiting_epoch = epoch THEN 'its parent was to be opened again after it, and was not: retry that'
        WHEN EXISTS (SELECT 1 FROM messages WHERE run = runs.key AND taken IS NULL)
            THEN 'it has an unread message that does not wake it'
        WHEN waiting IS NULL THEN 'it waits for nothing'
        ELSE 'it waits for children that have all ended'
    END
FROM runs
WHERE namespace = ?1 AND status IN ('pending', 'running') AND CASE
    WHEN owner IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = runs.owner)
    WHEN wake_at IS NOT NULL THEN wake_at < ?2 AND claim NOT IN (
        SELECT claim FROM runs AS busy WHERE busy.namespace = ?1 AND busy.owner IS NOT NULL)
    WHEN waiting IS NULL THEN true
    WHEN waiting_kind = 'turn' AND waiting_epoch = epoch THEN NOT EXISTS (
        SELECT 1 FROM runs AS parent
        WHERE parent.key = runs.parent AND parent.status NOT IN ('success', 'failed', 'cancelled'))
    WHEN EXISTS (SELECT 1 FROM messages WHERE run = runs.key AND taken IS NULL) THEN true
    WHEN waiting_kind = 'child' AND waiting_epoch = epoch THEN NOT EXISTS (
        SELECT 1 FROM runs AS child
        WHERE child.parent = runs.key AND child.status NOT IN ('success', 'failed', 'cancelled'))
    ELSE false
END
ORDER BY key
LIMIT 1000;
