-- name: insert_tags
INSERT INTO holdfast.run_tags (namespace, tag, run)
SELECT $1::text, tag, run FROM unnest($2::text[], $3::uuid[]) AS tags (tag, run)
ON CONFLICT DO NOTHING;

-- name: runs_that_match
-- Those of the runs $16 that meet the conditions: keys in hexadecimal digits. A condition that is NULL is not applied. $10
-- to $12 are patterns for the id, the class of the failure and its text; $13 are tags; $14 and $15 are microseconds. The
-- failure is JSON, so the pattern may fit more than was meant: the caller looks at the id and the failure, which are here
-- if they are asked for. COLLATE "C", so that only the case of ASCII letters is ignored, as SQLite does it.
SELECT key, id, CASE WHEN coalesce($11::text, $12::text) IS NOT NULL THEN failure END FROM holdfast.runs
WHERE namespace = $1::text AND key = ANY ($16::text[]::uuid[])
    AND ($2::text[] IS NULL OR status = ANY ($2))
    AND ($3::text IS NULL OR workflow = $3)
    AND ($4::text IS NULL OR version = $4)
    AND ($5::text IS NULL OR schedule = $5)
    AND ($6::uuid IS NULL OR parent = $6)
    AND ($7::text IS NULL OR fingerprint = $7)
    AND ($8::timestamptz IS NULL OR finished_at >= $8)
    AND ($9::timestamptz IS NULL OR finished_at < $9)
    AND ($10::text IS NULL OR id IS NULL OR id COLLATE "C" ILIKE $10 ESCAPE '\')
    AND ($11 IS NULL OR failure::text COLLATE "C" ILIKE $11 ESCAPE '\')
    AND ($12 IS NULL OR failure::text COLLATE "C" ILIKE $12 ESCAPE '\')
    AND NOT EXISTS (
        SELECT 1 FROM unnest($13::text[]) AS wanted (tag)
        WHERE NOT (SELECT EXISTS (
            SELECT 1 FROM holdfast.run_tags
            WHERE run_tags.namespace = $1 AND run_tags.tag = wanted.tag AND run_tags.run = runs.key OFFSET 0)))
    AND ($14::int8 IS NULL OR finished_at IS NOT NULL
        AND greatest(finished_at - coalesce(started_at, finished_at), '0') >= $14 * interval '1 microsecond')
    AND ($15::int8 IS NULL OR finished_at IS NOT NULL
        AND greatest(finished_at - coalesce(started_at, finished_at), '0') < $15 * interval '1 microsecond');

-- name: groups_of
-- $2 are keys in hexadecimal digits.
SELECT status, workflow, count(*) FROM holdfast.runs
WHERE namespace = $1::text AND key = ANY ($2::text[]::uuid[])
GROUP BY status, workflow;

-- name: listed_sizes
-- How many bytes `listed_runs` reads of each run. $2: with input and output.
SELECT key, coalesce(pg_column_size(failure), 0)
    + CASE WHEN $2::int4 <> 0 THEN pg_column_size(input) + coalesce(pg_column_size(output), 0) ELSE 0 END
FROM holdfast.runs WHERE namespace = $1::text AND key = ANY ($3::uuid[]);

-- name: listed_runs
-- $2: with input and output.
SELECT key, namespace, id, workflow, version, claim, status,
    CASE WHEN $2::int4 <> 0 THEN input END, CASE WHEN $2 <> 0 THEN output END, failure, parent, parent_seq,
    owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    options, priority, chapter
FROM holdfast.runs WHERE namespace = $1::text AND key = ANY ($3::uuid[]);

-- name: group_newest_failures
-- Of the newest $4 runs that failed and have keys from $2 on: how many there are for each cause, the oldest and the newest
-- of them, and how many there are in all. The most frequent causes first. Keys have no minimum before PostgreSQL 18.
WITH found AS MATERIALIZED (
    SELECT key, fingerprint FROM holdfast.runs
    WHERE namespace = $1::text AND status = 'failed' AND status <> 'success' AND key >= $2::uuid
    ORDER BY key DESC
    LIMIT $4::int8
)
SELECT fingerprint, count(*) AS runs, (array_agg(key ORDER BY key))[1], (array_agg(key ORDER BY key DESC))[1],
    (SELECT count(*) FROM found)
FROM found
WHERE fingerprint IS NOT NULL
GROUP BY fingerprint
ORDER BY runs DESC, fingerprint
LIMIT $3::int8;

-- name: group_failures
-- For each cause: how many runs with keys from $2 on, up to $4, the oldest and the newest of them. The most frequent causes
-- first. One lookup in the index for each cause finds the next, so older failures and more of them are not read.
WITH RECURSIVE found (fingerprint) AS (
    SELECT (SELECT fingerprint FROM holdfast.runs
            WHERE namespace = $1::text AND fingerprint IS NOT NULL
            ORDER BY fingerprint LIMIT 1)
    UNION ALL
    SELECT (SELECT runs.fingerprint FROM holdfast.runs
            WHERE namespace = $1 AND runs.fingerprint > found.fingerprint
            ORDER BY runs.fingerprint LIMIT 1)
    FROM found WHERE found.fingerprint IS NOT NULL
)
SELECT found.fingerprint, counted.runs, oldest.key, newest.key
FROM found
CROSS JOIN LATERAL (
    SELECT count(*) AS runs FROM (
        SELECT 1 FROM holdfast.runs
        WHERE namespace = $1 AND runs.fingerprint = found.fingerprint AND key >= $2::uuid
        ORDER BY key LIMIT $4::int8
    ) AS few
) AS counted
CROSS JOIN LATERAL (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1 AND runs.fingerprint = found.fingerprint AND key >= $2
    ORDER BY key LIMIT 1
) AS oldest
CROSS JOIN LATERAL (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1 AND runs.fingerprint = found.fingerprint AND key >= $2
    ORDER BY key DESC LIMIT 1
) AS newest
ORDER BY counted.runs DESC, found.fingerprint
LIMIT $3::int8;
