-- name: insert_runs
-- A run whose key or id exists is not added. If some were not, `find_taken` finds the runs in their way.
-- RETURNING would double the cost of a start on SQLite.
INSERT INTO runs (key, namespace, id, workflow, version, claim, status, input, output, failure, parent, parent_seq,
                  owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth,
                  schedule, options, priority)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, CAST(?8 AS TEXT), ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
        ?22, CAST(?23 AS TEXT), ?24)
ON CONFLICT DO NOTHING;

-- name: find_taken
-- For each new run that was not added, the run that has its key or its id.
SELECT ?2, key FROM runs WHERE namespace = ?1 AND key = ?2
UNION ALL
SELECT ?2, key FROM runs WHERE namespace = ?1 AND id = ?3 AND key <> ?2;

-- name: find_lost
-- The runs of a commit that its node no longer owns under that epoch.
SELECT ?3 WHERE NOT EXISTS (
    SELECT 1 FROM runs WHERE namespace = ?1 AND key = ?3 AND owner = ?2 AND epoch = ?4
);

-- name: lock_runs
-- The status and the nodes of the runs that this transaction is about to change. SQLite has locked the whole
-- database already. On Postgres this query locks the rows, in the order of their keys.
SELECT key, status, owner, (SELECT id FROM nodes WHERE id = runs.last_owner AND lease_until > ?2) FROM runs
WHERE namespace = ?1 AND key = ?3;

-- name: wake_runs
-- Mail does not wake runs that are parked, paused, held back by their parent or to be started later. They read it
-- when they go on.
UPDATE runs SET wake_at = min(coalesce(wake_at, ?2), ?2)
WHERE namespace = ?1 AND key = ?3 AND status IN ('pending', 'running')
    AND (status = 'running' OR wake_at <= ?2)
    AND (waiting_kind = 'turn' AND waiting_epoch = epoch) IS NOT TRUE;

-- name: wake_held_runs
-- Wakes runs that their parent has held back.
UPDATE runs SET wake_at = min(coalesce(wake_at, ?2), ?2)
WHERE namespace = ?1 AND key = ?3 AND status = 'running';

-- name: wake_cancelled_runs
-- Wakes runs that have a cancellation, also parked ones: the node that claims such a run ends it, whatever
-- code the node has. Their wake_at becomes a time just before their created_at, so they are claimed before all
-- runs that were created at the same time or later, and so before their own children. Otherwise a family of runs
-- could grow faster than it ends.
UPDATE runs SET wake_at = min(coalesce(wake_at, created_at - 1), created_at - 1)
WHERE namespace = ?1 AND key = ?2 AND status IN ('pending', 'running', 'parked', 'paused');

-- name: end_runs
-- ?6 and ?7 are the parent and its task number. They are not used here: the parent gets a message.
UPDATE runs
SET status = ?3, output = CAST(?4 AS TEXT), failure = CAST(?5 AS TEXT), finished_at = ?8, fingerprint = ?9,
    owner = NULL, wake_at = NULL, waiting = NULL,
    waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
WHERE namespace = ?1 AND key = ?2;

-- name: release_runs
-- Mail that came since it was last collected has set wake_at, and the earlier time counts. Only a
-- cancellation wakes a parked run.
UPDATE runs
SET status = ?3, failure = CAST(?4 AS TEXT), waiting = ?6, waiting_kind = ?7, waiting_name = ?8, waiting_epoch = epoch,
    owner = NULL, last_owner = owner,
    wake_at = CASE WHEN ?3 IN ('pending', 'running') THEN min(coalesce(?5, wake_at), coalesce(wake_at, ?5))
                   WHEN ?3 IN ('parked', 'paused') THEN ?5 END,
    setbacks = CASE WHEN ?3 = 'parked' THEN setbacks + 1 ELSE 0 END
WHERE namespace = ?1 AND key = ?2;

-- name: collect_mail
-- While a run is owned, only mail sets its wake_at.
UPDATE runs SET wake_at = NULL WHERE owner = ?1 AND wake_at IS NOT NULL
RETURNING key;

-- name: leave_mail
-- These runs have more mail than was read.
UPDATE runs SET wake_at = ?2 WHERE namespace = ?1 AND key = ?3 AND owner IS NOT NULL;

-- name: due_runs
-- Every run with a wake_at can be claimed, also a parked run that is to be tried again. ?4 is for Postgres.
SELECT key, status, wake_at, setbacks, claim, octet_length(input) FROM runs
WHERE namespace = ?1 AND claim = ?5 AND owner IS NULL AND wake_at <= ?2 AND ?4 > 0
ORDER BY wake_at
LIMIT ?3;

-- name: urgent_runs
-- Due runs of a claim with a priority, the highest first. Each arm reads no more than it returns.
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 9 AND priority > 0
    ORDER BY wake_at LIMIT ?3)
UNION ALL
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 8 AND priority > 0
    ORDER BY wake_at LIMIT ?3)
UNION ALL
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 7 AND priority > 0
    ORDER BY wake_at LIMIT ?3)
UNION ALL
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 6 AND priority > 0
    ORDER BY wake_at LIMIT ?3)
UNION ALL
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 5 AND priority > 0
    ORDER BY wake_at LIMIT ?3)
UNION ALL
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 4 AND priority > 0
    ORDER BY wake_at LIMIT ?3)
UNION ALL
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 3 AND priority > 0
    ORDER BY wake_at LIMIT ?3)
UNION ALL
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 2 AND priority > 0
    ORDER BY wake_at LIMIT ?3)
UNION ALL
SELECT * FROM (
    SELECT key, status, wake_at, setbacks, claim, octet_length(input), priority
    FROM runs INDEXED BY runs_urgent
    WHERE namespace = ?1 AND claim = ?4 AND owner IS NULL AND wake_at <= ?2 AND priority = 1 AND priority > 0
    ORDER BY wake_at LIMIT ?3);

-- name: due_of
SELECT key, status, wake_at, setbacks, claim, octet_length(input) FROM runs
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
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    CAST(options AS BLOB), priority, chapter;

-- name: prove_runs
UPDATE runs SET setbacks = 0 WHERE namespace = ?1 AND key = ?2;

-- name: show_waits
UPDATE runs SET waiting = ?3, waiting_kind = ?4, waiting_name = ?5, waiting_epoch = epoch
WHERE namespace = ?1 AND key = ?2;

-- name: owned_runs
-- The last column says whether the run has no journal yet.
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    CAST(options AS BLOB), priority, chapter, NOT EXISTS (SELECT 1 FROM journal WHERE journal.run = runs.key)
FROM runs WHERE owner = ?1
ORDER BY key;

-- name: runs_of
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    CAST(options AS BLOB), priority, chapter
FROM runs WHERE namespace = ?1 AND key = ?2;

-- name: ended_runs
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    CAST(options AS BLOB), priority, chapter
FROM runs WHERE namespace = ?1 AND key = ?2 AND status IN ('success', 'failed', 'cancelled');

-- name: find_run
-- The user-given id comes first, because it may look like the key of another run.
SELECT key, namespace, id, workflow, version, claim, status, CAST(input AS BLOB), CAST(output AS BLOB),
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    CAST(options AS BLOB), priority, chapter
FROM runs
WHERE namespace = ?1 AND key = coalesce((SELECT key FROM runs WHERE namespace = ?1 AND id = ?2), ?3);

-- name: find_keys
SELECT ?2, coalesce((SELECT key FROM runs WHERE namespace = ?1 AND id = ?2), ?3);

-- name: children_of
-- No namespace is needed: a child is in the namespace of its parent.
SELECT parent, parent_seq, key, status, CAST(output AS BLOB), CAST(failure AS BLOB)
FROM runs WHERE parent = ?1 AND parent_seq >= ?2
ORDER BY parent_seq;

-- name: reopen_runs
-- The epoch increases, so that nothing decided before the reopening can be written after it.
UPDATE runs
SET status = 'running', output = NULL, failure = NULL, finished_at = NULL, fingerprint = NULL,
    waiting = ?5, waiting_kind = ?6, waiting_name = ?7, waiting_epoch = epoch + 1,
    owner = NULL, epoch = epoch + 1, wake_at = ?4, setbacks = 0, options = coalesce(CAST(?8 AS TEXT), options)
WHERE namespace = ?1 AND key = ?2 AND epoch = ?3 AND status IN ('success', 'failed', 'cancelled')
RETURNING key;

-- name: unpark_runs
UPDATE runs
SET status = CASE WHEN epoch = 0 THEN 'pending' ELSE 'running' END, failure = NULL, setbacks = 0,
    wake_at = CASE WHEN epoch = 0 THEN max(?2, coalesce(json_extract(options, '$.start_at'), ?2)) ELSE ?2 END,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
WHERE namespace = ?1 AND key = ?3 AND status IN ('parked', 'paused')
RETURNING key, status;

-- name: cancel_parked_run
UPDATE runs
SET status = 'cancelled', failure = CAST(?4 AS TEXT), wake_at = NULL, finished_at = ?3,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
WHERE namespace = ?1 AND key = ?2 AND epoch = ?5 AND status = 'parked'
RETURNING key;

-- name: end_of_open_page
-- The last of the next ?4 runs of a status after the key ?3. No row if there are fewer.
SELECT key FROM runs INDEXED BY runs_by_status
WHERE namespace = ?1 AND status = ?2 AND status <> 'success' AND key > ?3
ORDER BY key
LIMIT 1 OFFSET ?4 - 1;

-- name: stranded_runs
-- Of the runs with status ?3 and keys after ?4 up to ?5, finds pending and running runs that will not go on:
--   - the owner has no row in nodes, so no lease will run out and free the run;
--   - the run was due before ?2, and no node owns a run with the same claim. If a node owns one, that node has
--     the workflow, and is only late;
--   - the run has no owner and no wake_at, and what it waits for has happened or cannot happen.
SELECT key, id, workflow, status,
    CASE
        WHEN owner IS NULL AND wake_at IS NOT NULL
            THEN 'it has long been due, and no node takes runs of ' || claim || '; start a node that has it'
        WHEN owner IS NOT NULL THEN 'its node ' || owner || ' is gone, and no node has freed the run'
        WHEN waiting_kind = 'turn' AND waiting_epoch = epoch THEN 'it waits until its parent wakes it, but its parent has ended; retry the parent'
        WHEN EXISTS (SELECT 1 FROM messages WHERE run = runs.key AND taken IS NULL)
            THEN 'it has an unread message that did not wake it'
        WHEN waiting IS NULL THEN 'it waits for nothing'
        ELSE 'it waits for children that have all ended'
    END
FROM runs INDEXED BY runs_by_status
WHERE namespace = ?1 AND status = ?3 AND status <> 'success'
    AND key > ?4 AND key <= coalesce(?5, x'ffffffffffffffffffffffffffffffff') AND CASE
    WHEN owner IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = runs.owner)
    WHEN wake_at IS NOT NULL THEN wake_at < ?2 AND claim NOT IN (
        SELECT claim FROM runs AS busy INDEXED BY runs_by_owner
        WHERE busy.namespace = ?1 AND busy.owner IS NOT NULL)
    WHEN waiting IS NULL THEN true
    WHEN waiting_kind = 'turn' AND waiting_epoch = epoch THEN NOT EXISTS (
        SELECT 1 FROM runs AS parent
        WHERE parent.namespace = ?1 AND parent.key = runs.parent AND parent.status NOT IN ('success', 'failed', 'cancelled'))
    WHEN EXISTS (SELECT 1 FROM messages WHERE run = runs.key AND taken IS NULL) THEN true
    WHEN waiting_kind = 'child' AND waiting_epoch = epoch THEN NOT EXISTS (
        SELECT 1 FROM runs AS child
        WHERE child.parent = runs.key AND child.status NOT IN ('success', 'failed', 'cancelled'))
    ELSE false
END
ORDER BY key;
