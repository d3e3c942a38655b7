-- Lists of runs. $2 to $5 are the workflow, the version, whether the run has an item in the queue, and
-- whether it has an unread cancellation. A condition that is NULL is not applied. OFFSET 0 makes Postgres
-- look up the rows of one run. Without it, the whole queue and all messages would be read.

-- name: page_of_runs
SELECT key FROM holdfast.runs
WHERE namespace = $1::text
    AND ($2::text IS NULL OR workflow = $2)
    AND ($3::text IS NULL OR version = $3)
    AND ($4::int4 IS NULL OR ($4 <> 0) = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
    AND ($5::int4 IS NULL OR ($5 <> 0) = (status NOT IN ('success', 'failed', 'cancelled')
                             AND EXISTS (SELECT 1 FROM holdfast.messages
                                         WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                         OFFSET 0)))
    AND ($8::text[] IS NULL OR status = ANY ($8))
ORDER BY key DESC
LIMIT $6::int8 OFFSET $7::int8;

-- name: page_of_runs_by_status
-- For every status but success, like `list_runs_by_status`. Returns the newest $6 runs of each status; the
-- caller merges them into a page.
SELECT found.key
FROM unnest($7::text[]) AS wanted (status)
CROSS JOIN LATERAL (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1::text
        AND ($2::text IS NULL OR workflow = $2)
        AND ($3::text IS NULL OR version = $3)
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($5::int4 IS NULL OR ($5 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
        AND runs.status = wanted.status AND runs.status <> 'success'
    ORDER BY key DESC
    LIMIT $6::int8
) AS found;

-- name: count_runs
SELECT count(*) FROM (
    SELECT 1 FROM holdfast.runs
    WHERE namespace = $1::text
        AND ($2::text IS NULL OR workflow = $2)
        AND ($3::text IS NULL OR version = $3)
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($5::int4 IS NULL OR ($5 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
        AND ($7::text[] IS NULL OR status = ANY ($7))
    LIMIT $6::int8
) AS found;

-- name: count_runs_by_status
SELECT count(*)
FROM unnest($7::text[]) AS wanted (status)
CROSS JOIN LATERAL (
    SELECT 1 FROM holdfast.runs
    WHERE namespace = $1::text
        AND ($2::text IS NULL OR workflow = $2)
        AND ($3::text IS NULL OR version = $3)
        AND ($4::int4 IS NULL OR ($4 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.queue WHERE run = runs.key OFFSET 0)))
        AND ($5::int4 IS NULL OR ($5 <> 0) = (runs.status NOT IN ('success', 'failed', 'cancelled')
                                 AND EXISTS (SELECT 1 FROM holdfast.messages
                                             WHERE run = runs.key AND kind = 'cancel' AND taken IS NULL
                                             OFFSET 0)))
        AND runs.status = wanted.status AND runs.status <> 'success'
    LIMIT $6::int8
) AS found;

-- name: states_of
SELECT run, key, value FROM holdfast.state WHERE run = ANY ($1::uuid[]) ORDER BY run, key COLLATE "C";

-- name: queued_of
SELECT run FROM holdfast.queue WHERE run = ANY ($1::uuid[]) GROUP BY run;

-- name: cancelling_of
SELECT run FROM holdfast.messages WHERE run = ANY ($1::uuid[]) AND kind = 'cancel' AND taken IS NULL GROUP BY run;
