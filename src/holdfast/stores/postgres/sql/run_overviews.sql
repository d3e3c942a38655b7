-- Lists of runs: keys, the newest first. $2 to $4 are the version, whether the run has an item in the queue, and
-- whether it has an unread cancellation. A condition that is NULL is not applied. $5 is a key: only older runs. $6
-- is how many. The other parameters name ranges of an index; the caller merges the pages of several ranges.
-- OFFSET 0 makes Postgres look up the rows of one run, or read the owned runs alone. Without it, the whole queue, all
-- messages, or the whole namespace would be read.

-- name: page_of_runs
-- Of all runs. $7 is how many to skip.
SELECT key FROM holdfast.runs
WHERE namespace = $1::text
    AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    AND ($2::text IS NULL OR version = $2)
    AND ($3::int4 IS NULL OR ($3 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
    AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM holdfast.messages
                                         WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                         OFFSET 0)))
ORDER BY key DESC
LIMIT $6::int8 OFFSET $7::int8;

-- name: count_runs
SELECT count(*) FROM (
    SELECT 1 FROM holdfast.runs
    WHERE namespace = $1::text
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
        AND ($3::int4 IS NULL OR ($3 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
    LIMIT $6::int8
) AS found;

-- name: page_of_runs_by_status
-- For every status but success, which the index leaves out.
SELECT found.key
FROM unnest($7::text[]) AS wanted (status)
CROSS JOIN LATERAL (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1::text
        AND runs.status = wanted.status AND runs.status <> 'success'
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
        AND ($3::int4 IS NULL OR ($3 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
    ORDER BY key DESC
    LIMIT $6::int8
) AS found;

-- name: count_runs_by_status
SELECT count(*)
FROM unnest($7::text[]) AS wanted (status)
CROSS JOIN LATERAL (
    SELECT 1 FROM holdfast.runs
    WHERE namespace = $1::text
        AND runs.status = wanted.status AND runs.status <> 'success'
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
        AND ($3::int4 IS NULL OR ($3 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
    LIMIT $6::int8
) AS found;

-- name: page_of_ended_runs
SELECT found.key
FROM unnest($7::text[], $8::text[]) AS wanted (workflow, status)
CROSS JOIN LATERAL (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1::text
        AND runs.workflow COLLATE "C" = wanted.workflow AND runs.status COLLATE "C" = wanted.status
        AND finished_at IS NOT NULL
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
    ORDER BY key DESC
    LIMIT $6::int8
) AS found
WHERE ($3::int4, $4::int4) IS NOT NULL OR true;

-- name: count_ended_runs
SELECT count(*)
FROM unnest($7::text[], $8::text[]) AS wanted (workflow, status)
CROSS JOIN LATERAL (
    SELECT 1 FROM holdfast.runs
    WHERE namespace = $1::text
        AND runs.workflow COLLATE "C" = wanted.workflow AND runs.status COLLATE "C" = wanted.status
        AND finished_at IS NOT NULL
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
    LIMIT $6::int8
) AS found
WHERE ($3::int4, $4::int4) IS NOT NULL OR true;

-- name: page_of_cold_runs
SELECT found.key
FROM unnest($7::text[], $8::text[]) AS wanted (workflow, status)
CROSS JOIN LATERAL (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1::text
        AND runs.workflow COLLATE "C" = wanted.workflow AND runs.status COLLATE "C" = wanted.status
        AND owner IS NULL AND finished_at IS NULL
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
        AND ($3::int4 IS NULL OR ($3 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
    ORDER BY key DESC
    LIMIT $6::int8
) AS found;

-- name: count_cold_runs
SELECT count(*)
FROM unnest($7::text[], $8::text[]) AS wanted (workflow, status)
CROSS JOIN LATERAL (
    SELECT 1 FROM holdfast.runs
    WHERE namespace = $1::text
        AND runs.workflow COLLATE "C" = wanted.workflow AND runs.status COLLATE "C" = wanted.status
        AND owner IS NULL AND finished_at IS NULL
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
        AND ($3::int4 IS NULL OR ($3 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
    LIMIT $6::int8
) AS found;

-- name: page_of_owned_runs
-- Reads all runs that nodes have in memory.
SELECT found.key
FROM unnest($7::text[]) AS wanted (workflow)
CROSS JOIN LATERAL (
    SELECT key
    FROM (SELECT key, namespace, workflow, version, status FROM holdfast.runs
          WHERE owner IS NOT NULL OFFSET 0) AS runs
    WHERE namespace = $1::text AND runs.workflow = wanted.workflow
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
        AND ($3::int4 IS NULL OR ($3 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
    ORDER BY key DESC
    LIMIT $6::int8
) AS found;

-- name: count_owned_runs
SELECT count(*)
FROM unnest($7::text[]) AS wanted (workflow)
CROSS JOIN LATERAL (
    SELECT 1
    FROM (SELECT key, namespace, workflow, version, status FROM holdfast.runs
          WHERE owner IS NOT NULL OFFSET 0) AS runs
    WHERE namespace = $1::text AND runs.workflow = wanted.workflow
        AND key < coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($2::text IS NULL OR version = $2)
        AND ($3::int4 IS NULL OR ($3 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
    LIMIT $6::int8
) AS found;

-- name: ended_workflows
-- The workflows that have ended runs, by one lookup in the index for each.
WITH RECURSIVE found (workflow) AS (
    SELECT (SELECT workflow COLLATE "C" FROM holdfast.runs
            WHERE namespace = $1::text AND finished_at IS NOT NULL
            ORDER BY workflow COLLATE "C" LIMIT 1)
    UNION ALL
    SELECT (SELECT runs.workflow COLLATE "C" FROM holdfast.runs
            WHERE namespace = $1 AND runs.workflow COLLATE "C" > found.workflow AND finished_at IS NOT NULL
            ORDER BY runs.workflow COLLATE "C" LIMIT 1)
    FROM found WHERE found.workflow IS NOT NULL
)
SELECT workflow FROM found WHERE workflow IS NOT NULL;

-- name: states_of
SELECT run, key, value FROM holdfast.state WHERE run = ANY ($1::uuid[]) ORDER BY run, key COLLATE "C";

-- name: queued_of
SELECT run FROM holdfast.queue WHERE run = ANY ($1::uuid[]) GROUP BY run;

-- name: cancelling_of
SELECT run FROM holdfast.messages WHERE run = ANY ($1::uuid[]) AND kind = 'cancel' AND taken IS NULL GROUP BY run;
