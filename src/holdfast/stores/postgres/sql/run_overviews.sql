-- What a list of runs shows. $2 to $5 are workflow, version, and whether something of the run is in the queue and it
-- has not heard yet that it is to end; each of them may be NULL. OFFSET 0 has the
-- rows of one run looked up; else all of the queue and all messages are read, once.

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
-- For every status but success, as `list_runs_by_status`. The first $6 of each status, of which a page is made.
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
