-- Runs as points of a picture. $2 and $3 are keys: only older runs, and no older ones.

-- name: page_of_points
-- One row, with each column as JSON, as in SQLite. Aggregates keep the order of an ordered subquery.
SELECT to_json(coalesce(array_agg(replace(key::text, '-', '')), '{}'))::text, to_json(coalesce(array_agg(id), '{}'))::text,
    to_json(coalesce(array_agg(workflow), '{}'))::text, to_json(coalesce(array_agg(version), '{}'))::text,
    to_json(coalesce(array_agg(status), '{}'))::text,
    to_json(coalesce(array_agg((extract(epoch FROM created_at) * 1000000)::int8), '{}'))::text,
    to_json(coalesce(array_agg((extract(epoch FROM started_at) * 1000000)::int8), '{}'))::text,
    to_json(coalesce(array_agg((extract(epoch FROM finished_at) * 1000000)::int8), '{}'))::text
FROM (
    SELECT key, id, workflow, version, status, created_at, started_at, finished_at FROM holdfast.runs
    WHERE namespace = $1::text AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY key DESC LIMIT $4::int8
) AS looked;

-- name: points_of
-- $2 are keys in hexadecimal digits. The answer is as above, the newest first, as the keys are.
SELECT to_json(coalesce(array_agg(replace(key::text, '-', '')), '{}'))::text, to_json(coalesce(array_agg(id), '{}'))::text,
    to_json(coalesce(array_agg(workflow), '{}'))::text, to_json(coalesce(array_agg(version), '{}'))::text,
    to_json(coalesce(array_agg(status), '{}'))::text,
    to_json(coalesce(array_agg((extract(epoch FROM created_at) * 1000000)::int8), '{}'))::text,
    to_json(coalesce(array_agg((extract(epoch FROM started_at) * 1000000)::int8), '{}'))::text,
    to_json(coalesce(array_agg((extract(epoch FROM finished_at) * 1000000)::int8), '{}'))::text
FROM (
    SELECT key, id, workflow, version, status, created_at, started_at, finished_at FROM holdfast.runs
    WHERE namespace = $1::text AND key = ANY ($2::text[]::uuid[])
    ORDER BY key DESC
) AS looked;

-- name: nth_run
SELECT key FROM holdfast.runs
WHERE namespace = $1::text AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY key DESC LIMIT 1 OFFSET $4::int8;

-- name: first_run
SELECT key FROM holdfast.runs
WHERE namespace = $1::text AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY key LIMIT 1;

-- name: bins_of_points
-- The newest $4 runs. 240 columns divide the time from $5 to $6, and 40 rows the logarithm of how long a run took, from
-- 1 ms to 30 days; row 63 is for runs that have not ended. The three numbers are one, as in SQLite.
SELECT to_json(coalesce(array_agg(bin), '{}'))::text, to_json(coalesce(array_agg(runs), '{}'))::text FROM (
SELECT (least(greatest(floor(240 * extract(epoch FROM created_at - $5::timestamptz)::float8
                / greatest(extract(epoch FROM $6::timestamptz - $5)::float8, 1e-6))::int4, 0), 239) * 64 + CASE
        WHEN finished_at IS NULL THEN 63
        ELSE least(floor(40 * ln(greatest(
                extract(epoch FROM finished_at - coalesce(started_at, finished_at))::float8, 0.001) / 0.001)
            / ln(2592000000.0::float8))::int4, 39)
    END) * 7 + CASE status
        WHEN 'pending' THEN 0 WHEN 'running' THEN 1 WHEN 'success' THEN 2 WHEN 'failed' THEN 3 WHEN 'cancelled' THEN 4
        WHEN 'paused' THEN 5 ELSE 6
    END AS bin, count(*) AS runs
FROM (
    SELECT created_at, started_at, finished_at, status FROM holdfast.runs
    WHERE namespace = $1::text AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY key DESC LIMIT $4::int8
) AS looked
GROUP BY bin ORDER BY bin
) AS counted;

-- name: task_times_of
-- $2 are keys of runs in hexadecimal digits. Of each run the tasks with a number below $3, and $4 in all. One row, as
-- above. OFFSET 0 has each run and its tasks looked up by key, also while there are no statistics.
SELECT to_json(coalesce(array_agg(name), '{}'))::text, to_json(coalesce(array_agg(status), '{}'))::text,
    to_json(coalesce(array_agg(attempt), '{}'))::text,
    to_json(coalesce(array_agg((extract(epoch FROM finished_at - started_at) * 1000000)::int8), '{}'))::text
FROM (
    SELECT found.name, found.status, found.attempt, found.started_at, found.finished_at
    FROM unnest($2::text[]::uuid[]) WITH ORDINALITY AS wanted (run, place)
    CROSS JOIN LATERAL (
        SELECT key FROM holdfast.runs WHERE runs.namespace = $1::text AND runs.key = wanted.run OFFSET 0
    ) AS here
    CROSS JOIN LATERAL (
        SELECT name, status, attempt, started_at, finished_at FROM holdfast.tasks
        WHERE tasks.run = here.key AND seq < $3::int4 ORDER BY seq OFFSET 0
    ) AS found
    LIMIT $4::int8
) AS looked;

-- name: count_open_runs
-- Of the workflows $2 the runs that have not ended and that no node has in memory, up to $3 of each. Then of all workflows
-- those that nodes have. The rows are in an order that only the right index has.
SELECT wanted.workflow, found.runs
FROM unnest($2::text[]) AS wanted (workflow)
CROSS JOIN LATERAL (
    SELECT count(*) AS runs FROM (
        SELECT 1 FROM holdfast.runs
        WHERE namespace = $1::text AND runs.workflow COLLATE "C" = wanted.workflow
            AND owner IS NULL AND finished_at IS NULL
        ORDER BY runs.status COLLATE "C", key
        LIMIT $3::int8
    ) AS cold
) AS found
UNION ALL
SELECT workflow, count(*)
FROM (SELECT namespace, workflow FROM holdfast.runs WHERE owner IS NOT NULL OFFSET 0) AS owned
WHERE namespace = $1::text
GROUP BY workflow;
