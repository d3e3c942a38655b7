-- Batches that look up runs by key carry the namespace in each row, inside a MATERIALIZED query. A plain
-- parameter would be a condition on runs alone. While the statistics still say that the table is empty, the
-- planner would then read the whole namespace instead of looking up each key.

-- name: insert_runs
-- A run whose key or id exists is not added. If some were not, `find_taken` finds the runs in their way.
-- RETURNING would double the cost of a start on SQLite.
INSERT INTO holdfast.runs (key, namespace, id, workflow, version, claim, status, input, output, failure,
                           parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at,
                           finished_at, setbacks, depth, schedule, options, priority)
SELECT *
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[],
            $9::json[], $10::json[], $11::uuid[], $12::int4[], $13::text[], $14::int4[], $15::timestamptz[],
            $16::text[], $17::timestamptz[], $18::timestamptz[], $19::timestamptz[], $20::int4[],
            $21::int4[], $22::text[], $23::json[], $24::int4[])
ON CONFLICT DO NOTHING;

-- name: find_taken
-- For each new run that was not added, the run that has its key or its id.
WITH asked AS MATERIALIZED (
    SELECT $1::text AS namespace, run, id FROM unnest($2::uuid[], $3::text[]) AS asked (run, id)
)
SELECT asked.run, runs.key
FROM asked JOIN holdfast.runs ON runs.namespace = asked.namespace AND runs.key = asked.run
UNION ALL
SELECT asked.run, runs.key
FROM asked JOIN holdfast.runs ON runs.namespace = asked.namespace AND runs.id = asked.id
WHERE runs.key <> asked.run;

-- name: find_lost
-- The runs of a commit that its node no longer owns under that epoch.
WITH held AS MATERIALIZED (
    SELECT $1::text AS namespace, run, epoch FROM unnest($3::uuid[], $4::int4[]) AS held (run, epoch)
)
SELECT held.run
FROM held LEFT JOIN holdfast.runs ON runs.namespace = held.namespace AND runs.key = held.run
WHERE runs.owner IS DISTINCT FROM $2::text OR runs.epoch IS DISTINCT FROM held.epoch;

-- name: lock_runs
-- Locks the runs that this transaction is about to change, and returns their status and their nodes. The rows are
-- locked in the order of their keys, so that two transactions cannot deadlock.
SELECT key, status, owner,
    (SELECT id FROM holdfast.nodes
     WHERE id = runs.last_owner AND greatest(lease_until, seen_at + interval '1 minute') > $2::timestamptz)
FROM holdfast.runs
WHERE namespace = $1::text AND key = ANY ($3::uuid[])
ORDER BY key
FOR UPDATE;

-- name: wake_runs
-- Mail does not wake runs that are parked, paused, held back by their parent or to be started later. They read it
-- when they go on.
WITH woken AS MATERIALIZED (
    SELECT $1::text AS namespace, run FROM unnest($3::uuid[]) AS woken (run)
)
UPDATE holdfast.runs SET wake_at = least(wake_at, $2::timestamptz)
FROM woken
WHERE runs.namespace = woken.namespace AND key = woken.run
    AND status IN ('pending', 'running') AND (status = 'running' OR wake_at <= $2)
    AND (waiting_kind = 'turn' AND waiting_epoch = epoch) IS NOT TRUE;

-- name: wake_held_runs
-- Wakes runs that their parent has held back.
WITH woken AS MATERIALIZED (
    SELECT $1::text AS namespace, run FROM unnest($3::uuid[]) AS woken (run)
)
UPDATE holdfast.runs SET wake_at = least(wake_at, $2::timestamptz)
FROM woken
WHERE runs.namespace = woken.namespace AND key = woken.run AND status = 'running';

-- name: wake_cancelled_runs
-- Wakes runs that have a cancellation, also parked ones: the node that claims such a run ends it, whatever
-- code the node has. Their wake_at becomes a time just before their created_at, so they are claimed before all
-- runs that were created at the same time or later, and so before their own children. Otherwise a family of runs
-- could grow faster than it ends.
WITH woken AS MATERIALIZED (
    SELECT $1::text AS namespace, run FROM unnest($2::uuid[]) AS woken (run)
)
UPDATE holdfast.runs SET wake_at = least(wake_at, created_at - interval '1 microsecond')
FROM woken
WHERE runs.namespace = woken.namespace AND key = woken.run AND status IN ('pending', 'running', 'parked', 'paused');

-- name: end_runs
-- $6 and $7 are the parent and its task number. They are not used here: the parent gets a message.
WITH ended AS MATERIALIZED (
    SELECT $1::text AS namespace, ended.*
    FROM unnest($2::uuid[], $3::text[], $4::json[], $5::json[], $6::uuid[], $7::int4[], $8::timestamptz[],
                $9::text[])
        AS ended (run, status, output, failure, parent, parent_seq, finished_at, fingerprint)
)
UPDATE holdfast.runs
SET status = ended.status, output = ended.output, failure = ended.failure, finished_at = ended.finished_at,
    fingerprint = ended.fingerprint, owner = NULL, wake_at = NULL, waiting = NULL,
    waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
FROM ended
WHERE runs.namespace = ended.namespace AND key = ended.run;

-- name: release_runs
-- Mail that came since it was last collected has set wake_at, and the earlier time counts. Only a
-- cancellation wakes a parked run.
WITH released AS MATERIALIZED (
    SELECT $1::text AS namespace, released.*
    FROM unnest($2::uuid[], $3::text[], $4::json[], $5::timestamptz[], $6::text[], $7::text[], $8::text[])
        AS released (run, status, failure, wake_at, waiting, waiting_kind, waiting_name)
)
UPDATE holdfast.runs
SET status = released.status, failure = released.failure, owner = NULL, last_owner = owner, waiting = released.waiting,
    waiting_kind = released.waiting_kind, waiting_name = released.waiting_name, waiting_epoch = runs.epoch,
    wake_at = CASE WHEN released.status IN ('pending', 'running') THEN least(released.wake_at, runs.wake_at)
                   WHEN released.status IN ('parked', 'paused') THEN released.wake_at END,
    setbacks = CASE WHEN released.status = 'parked' THEN setbacks + 1 ELSE 0 END
FROM released
WHERE runs.namespace = released.namespace AND key = released.run;

-- name: collect_mail
-- While a run is owned, only mail sets its wake_at. A run whose row is locked is left for the next time,
-- because the transaction that locks it may be waiting for a row that this commit has changed.
UPDATE holdfast.runs SET wake_at = NULL
WHERE (namespace, key) IN (
    SELECT namespace, key FROM holdfast.runs
    WHERE owner = $1::text AND wake_at IS NOT NULL
    FOR UPDATE SKIP LOCKED
)
RETURNING key;

-- name: leave_mail
-- These runs have more mail than was read.
WITH unread AS MATERIALIZED (
    SELECT $1::text AS namespace, run FROM unnest($3::uuid[]) AS unread (run)
)
UPDATE holdfast.runs SET wake_at = $2::timestamptz
FROM unread
WHERE runs.namespace = unread.namespace AND key = unread.run AND owner IS NOT NULL;

-- name: due_runs
-- Every run with a wake_at can be claimed, also a parked run that is to be tried again.
-- Each claim that has something due gets the same share. Only as many rows are locked as the node keeps. Otherwise
-- the next node would find everything locked, and nothing to do. (Large inputs are the exception: the size of the input,
-- as it is stored, says how many of them there is room for.) $4 is the number of setbacks that a run may have.
WITH first AS MATERIALIZED (
    SELECT wanted.claim, due.setbacks
    FROM unnest($5::text[]) AS wanted (claim)
    CROSS JOIN LATERAL (
        SELECT setbacks FROM holdfast.runs
        WHERE namespace = $1::text AND claim = wanted.claim AND owner IS NULL AND wake_at <= $2::timestamptz
        ORDER BY wake_at
        LIMIT 1
    ) AS due
), share AS MATERIALIZED (
    SELECT greatest(1, ($3::int8 >> (2 * least(max(setbacks), $4::int4))) / count(*)) AS rows FROM first
)
SELECT due.key, due.status, due.wake_at, due.setbacks, first.claim, due.size
FROM first
CROSS JOIN LATERAL (
    SELECT key, status, wake_at, setbacks, pg_column_size(input) AS size FROM holdfast.runs
    WHERE namespace = $1 AND claim = first.claim AND owner IS NULL AND wake_at <= $2
    ORDER BY wake_at
    LIMIT (SELECT rows FROM share)
    FOR UPDATE SKIP LOCKED
) AS due;

-- name: urgent_runs
-- Due runs of these claims with a priority, the highest first. Of the claims with runs of one priority, that whose
-- oldest run has waited longest comes first, so none waits for ever. Hardly any claim has some. The loop over `wanted`
-- ends when there are enough rows, so no more are locked than are returned.
WITH urgent AS MATERIALIZED (
    SELECT claim
    FROM unnest($4::text[]) AS claims (claim)
    CROSS JOIN LATERAL (
        SELECT 1 FROM holdfast.runs
        WHERE namespace = $1::text AND runs.claim = claims.claim AND owner IS NULL AND wake_at IS NOT NULL
            AND priority > 0
        LIMIT 1
    ) AS has_some
), wanted AS MATERIALIZED (
    SELECT level, urgent.claim
    FROM urgent
    CROSS JOIN generate_series(1, 9) AS levels (level)
    CROSS JOIN LATERAL (
        SELECT wake_at FROM holdfast.runs
        WHERE namespace = $1::text AND runs.claim = urgent.claim AND owner IS NULL AND wake_at <= $2::timestamptz
            AND priority = level AND priority > 0
        ORDER BY wake_at
        LIMIT 1
    ) AS oldest
    ORDER BY level DESC, oldest.wake_at, urgent.claim COLLATE "C"
)
SELECT due.key, due.status, due.wake_at, due.setbacks, wanted.claim, due.size, wanted.level
FROM wanted
CROSS JOIN LATERAL (
    SELECT key, status, wake_at, setbacks, pg_column_size(input) AS size FROM holdfast.runs
    WHERE namespace = $1::text AND claim = wanted.claim AND owner IS NULL AND wake_at <= $2::timestamptz
        AND priority = wanted.level AND priority > 0
    ORDER BY wake_at
    LIMIT $3::int8
    FOR UPDATE SKIP LOCKED
) AS due
LIMIT $3;

-- name: due_of
WITH wanted AS MATERIALIZED (
    SELECT $1::text AS namespace, run FROM unnest($3::uuid[]) AS wanted (run)
)
SELECT key, status, wake_at, setbacks, claim, pg_column_size(input)
FROM wanted JOIN holdfast.runs ON runs.namespace = wanted.namespace AND runs.key = wanted.run
WHERE owner IS NULL AND wake_at <= $2::timestamptz
FOR UPDATE OF runs SKIP LOCKED;

-- name: wake_times_of
WITH wanted AS MATERIALIZED (
    SELECT $1::text AS namespace, run FROM unnest($2::uuid[]) AS wanted (run)
)
SELECT wake_at
FROM wanted JOIN holdfast.runs ON runs.namespace = wanted.namespace AND runs.key = wanted.run
WHERE owner IS NULL AND wake_at IS NOT NULL;

-- name: claim_runs
WITH due AS MATERIALIZED (
    SELECT $1::text AS namespace, run FROM unnest($4::uuid[]) AS due (run)
)
UPDATE holdfast.runs
SET owner = $2::text, epoch = epoch + 1, wake_at = NULL, status = 'running', failure = NULL,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL,
    started_at = coalesce(started_at, $3::timestamptz)
FROM due
WHERE runs.namespace = due.namespace AND key = due.run
RETURNING key, runs.namespace, id, workflow, version, claim, status, input, output, failure, parent, parent_seq,
    owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    options, priority, chapter;

-- name: prove_runs
WITH proved AS MATERIALIZED (
    SELECT $1::text AS namespace, run FROM unnest($2::uuid[]) AS proved (run)
)
UPDATE holdfast.runs SET setbacks = 0
FROM proved
WHERE runs.namespace = proved.namespace AND key = proved.run;

-- name: show_waits
WITH shown AS MATERIALIZED (
    SELECT $1::text AS namespace, shown.*
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS shown (run, waiting, waiting_kind, waiting_name)
)
UPDATE holdfast.runs
SET waiting = shown.waiting, waiting_kind = shown.waiting_kind, waiting_name = shown.waiting_name,
    waiting_epoch = runs.epoch
FROM shown
WHERE runs.namespace = shown.namespace AND key = shown.run;

-- name: owned_runs
-- The last column says whether the run has no journal yet.
SELECT key, namespace, id, workflow, version, claim, status, input, output, failure, parent, parent_seq,
    owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    options, priority, chapter, NOT EXISTS (SELECT 1 FROM holdfast.journal WHERE journal.run = runs.key)
FROM holdfast.runs WHERE owner = $1::text
ORDER BY key;

-- name: runs_of
SELECT key, namespace, id, workflow, version, claim, status, input, output, failure, parent, parent_seq,
    owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    options, priority, chapter
FROM holdfast.runs WHERE namespace = $1::text AND key = ANY ($2::uuid[]);

-- name: ended_runs
SELECT key, namespace, id, workflow, version, claim, status, input, output, failure, parent, parent_seq,
    owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    options, priority, chapter
FROM holdfast.runs
WHERE namespace = $1::text AND key = ANY ($2::uuid[]) AND status IN ('success', 'failed', 'cancelled');

-- name: find_run
-- The user-given id comes first, because it may look like the key of another run.
SELECT key, namespace, id, workflow, version, claim, status, input, output, failure, parent, parent_seq,
    owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    options, priority, chapter
FROM holdfast.runs
WHERE namespace = $1::text
    AND key = coalesce((SELECT key FROM holdfast.runs WHERE namespace = $1 AND id = $2::text), $3::uuid);

-- name: find_keys
WITH asked AS MATERIALIZED (
    SELECT $1::text AS namespace, id, key FROM unnest($2::text[], $3::uuid[]) AS asked (id, key)
)
SELECT asked.id, coalesce(runs.key, asked.key)
FROM asked LEFT JOIN holdfast.runs ON runs.namespace = asked.namespace AND runs.id = asked.id;

-- name: children_of
-- No namespace is needed: a child is in the namespace of its parent.
SELECT parent, parent_seq, key, status, output, failure
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, since)
CROSS JOIN LATERAL (
    SELECT * FROM holdfast.runs WHERE runs.parent = wanted.run AND runs.parent_seq >= wanted.since OFFSET 0
) AS found
ORDER BY parent, parent_seq;

-- name: reopen_runs
-- The epoch increases, so that nothing decided before the reopening can be written after it.
WITH again AS MATERIALIZED (
    SELECT $1::text AS namespace, again.*
    FROM unnest($2::uuid[], $3::int4[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::json[])
        AS again (run, epoch, wake_at, waiting, waiting_kind, waiting_name, options)
)
UPDATE holdfast.runs
SET status = 'running', output = NULL, failure = NULL, finished_at = NULL, fingerprint = NULL,
    waiting = again.waiting, waiting_kind = again.waiting_kind, waiting_name = again.waiting_name,
    waiting_epoch = runs.epoch + 1,
    owner = NULL, epoch = runs.epoch + 1, wake_at = again.wake_at, setbacks = 0,
    options = coalesce(again.options, runs.options)
FROM again
WHERE runs.namespace = again.namespace AND runs.key = again.run AND runs.epoch = again.epoch
    AND runs.status IN ('success', 'failed', 'cancelled')
RETURNING runs.key;

-- name: unpark_runs
UPDATE holdfast.runs
SET status = CASE WHEN epoch = 0 THEN 'pending' ELSE 'running' END, failure = NULL, setbacks = 0,
    wake_at = CASE WHEN epoch = 0
        THEN greatest($2::timestamptz,
                      timestamptz 'epoch' + (options ->> 'start_at')::int8 * interval '1 microsecond')
        ELSE $2 END,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
WHERE namespace = $1::text AND key = ANY ($3::uuid[]) AND status IN ('parked', 'paused')
RETURNING key, status;

-- name: cancel_parked_run
UPDATE holdfast.runs
SET status = 'cancelled', failure = $4::json, wake_at = NULL, finished_at = $3::timestamptz,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
WHERE namespace = $1::text AND key = $2::uuid AND epoch = $5::int4 AND status = 'parked'
RETURNING key;

-- name: end_of_open_page
-- The last of the next $4 runs of a status after the key $3. No row if there are fewer.
SELECT key FROM holdfast.runs
WHERE namespace = $1::text AND status = $2::text AND status <> 'success' AND key > $3::uuid
ORDER BY key
LIMIT 1 OFFSET $4::int8 - 1;

-- name: stranded_runs
-- Of the runs with status $3 and keys after $4 up to $5, finds pending and running runs that will not go on:
--   - the owner has no row in nodes, so no lease will run out and free the run;
--   - the run was due before $2, and no node owns a run with the same claim. If a node owns one, that node has
--     the workflow, and is only late;
--   - the run has no owner and no wake_at, and what it waits for has happened or cannot happen.
-- OFFSET 0 makes Postgres look up the messages, the parent and the children of one run. Without it, all of them would be
-- read, if it expects few.
SELECT key, id, workflow, status,
    CASE
        WHEN owner IS NULL AND wake_at IS NOT NULL
            THEN 'it has long been due, and no node takes runs of ' || claim || '; start a node that has it'
        WHEN owner IS NOT NULL THEN 'its node ' || owner || ' is gone, and no node has freed the run'
        WHEN waiting_kind = 'turn' AND waiting_epoch = epoch THEN 'it waits until its parent wakes it, but its parent has ended; retry the parent'
        WHEN EXISTS (SELECT 1 FROM holdfast.messages WHERE run = runs.key AND taken IS NULL OFFSET 0)
            THEN 'it has an unread message that did not wake it'
        WHEN waiting IS NULL THEN 'it waits for nothing'
        ELSE 'it waits for children that have all ended'
    END
FROM holdfast.runs
WHERE namespace = $1::text AND status = $3::text AND status <> 'success'
    AND key > $4::uuid AND key <= coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') AND CASE
    WHEN owner IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM holdfast.nodes WHERE nodes.id = runs.owner)
    WHEN wake_at IS NOT NULL THEN wake_at < $2::timestamptz AND claim NOT IN (
        -- OFFSET 0 keeps Postgres from reading the whole namespace instead of the owned runs.
        SELECT claim FROM (SELECT namespace, claim FROM holdfast.runs WHERE owner IS NOT NULL OFFSET 0) AS busy
        WHERE busy.namespace = $1)
    WHEN waiting IS NULL THEN true
    WHEN waiting_kind = 'turn' AND waiting_epoch = epoch THEN NOT EXISTS (
        SELECT 1 FROM holdfast.runs AS parent
        WHERE parent.namespace = $1 AND parent.key = runs.parent AND parent.status NOT IN ('success', 'failed', 'cancelled')
        OFFSET 0)
    WHEN EXISTS (SELECT 1 FROM holdfast.messages WHERE run = runs.key AND taken IS NULL OFFSET 0) THEN true
    WHEN waiting_kind = 'child' AND waiting_epoch = epoch THEN NOT EXISTS (
        SELECT 1 FROM holdfast.runs AS child
        WHERE child.parent = runs.key AND child.status NOT IN ('success', 'failed', 'cancelled')
        OFFSET 0)
    ELSE false
END
ORDER BY key;
