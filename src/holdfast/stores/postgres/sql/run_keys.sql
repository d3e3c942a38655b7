-- The keys of the newest runs of ranges of an index, in one value: thousands of rows would take the GIL one after the
-- other. $2 and $3 are keys: only older runs, and no older ones. $4 is how many of each range. The other parameters name
-- the ranges. Where there are several, the caller sorts the keys. State and key are compared as a row, and the rows are in
-- that order, which only the right index has: with statistics of a young database, in which all runs are alike, Postgres
-- would read all runs of the namespace by their keys.

-- name: keys_of_runs
SELECT string_agg(uuid_send(key), ''::bytea) FROM (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1::text AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY key DESC LIMIT $4::int8
) AS found;

-- name: keys_of_children
SELECT string_agg(uuid_send(key), ''::bytea) FROM (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1::text AND parent = $5::uuid
        AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY parent DESC, key DESC LIMIT $4::int8
) AS found;

-- name: keys_of_scheduled_runs
SELECT string_agg(uuid_send(key), ''::bytea) FROM (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1::text AND schedule = $5::text
        AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY schedule DESC, key DESC LIMIT $4::int8
) AS found;

-- name: keys_of_tagged_runs
-- OFFSET 0 has each run looked up by its key. Without statistics, as in a new database, a join would read all runs once
-- for each tag.
SELECT string_agg(uuid_send(key), ''::bytea) FROM (
    SELECT here.key FROM holdfast.run_tags
    CROSS JOIN LATERAL (
        SELECT key FROM holdfast.runs
        WHERE runs.namespace = $1::text AND runs.key = run_tags.run
        OFFSET 0
    ) AS here
    WHERE run_tags.namespace = $1 AND run_tags.tag = $5::text
        AND run_tags.run < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND run_tags.run >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY run_tags.run DESC LIMIT $4::int8
) AS found;

-- name: keys_by_fingerprint
SELECT string_agg(uuid_send(key), ''::bytea) FROM (
    SELECT key FROM holdfast.runs
    WHERE namespace = $1::text AND fingerprint = $5::text
        AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY key DESC LIMIT $4::int8
) AS found;

-- name: keys_by_status
-- For every status but success, which the index leaves out.
SELECT string_agg(uuid_send(found.key), ''::bytea)
FROM unnest($5::text[]) AS wanted (status)
CROSS JOIN LATERAL (
    SELECT key
    FROM holdfast.runs
    WHERE namespace = $1::text AND runs.status <> 'success'
        AND (runs.status, key) < (wanted.status, coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        AND (runs.status, key) >= (wanted.status, coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
    ORDER BY runs.status DESC, key DESC
    LIMIT $4::int8
) AS found;

-- name: keys_of_ended_runs
SELECT string_agg(uuid_send(found.key), ''::bytea)
FROM unnest($5::text[], $6::text[]) AS wanted (workflow, status)
CROSS JOIN LATERAL (
    SELECT key
    FROM holdfast.runs
    WHERE namespace = $1::text AND runs.workflow COLLATE "C" = wanted.workflow
        AND finished_at IS NOT NULL
        AND (runs.status COLLATE "C", key) < (wanted.status, coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        AND (runs.status COLLATE "C", key) >= (wanted.status, coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
    ORDER BY runs.status COLLATE "C" DESC, key DESC
    LIMIT $4::int8
) AS found;

-- name: keys_of_cold_runs
SELECT string_agg(uuid_send(found.key), ''::bytea)
FROM unnest($5::text[], $6::text[]) AS wanted (workflow, status)
CROSS JOIN LATERAL (
    SELECT key
    FROM holdfast.runs
    WHERE namespace = $1::text AND runs.workflow COLLATE "C" = wanted.workflow
        AND owner IS NULL AND finished_at IS NULL
        AND (runs.status COLLATE "C", key) < (wanted.status, coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        AND (runs.status COLLATE "C", key) >= (wanted.status, coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
    ORDER BY runs.status COLLATE "C" DESC, key DESC
    LIMIT $4::int8
) AS found;

-- name: keys_of_owned_runs
-- Reads all runs that nodes have in memory.
SELECT string_agg(uuid_send(found.key), ''::bytea)
FROM unnest($5::text[]) AS wanted (workflow)
CROSS JOIN LATERAL (
    SELECT key
    FROM (SELECT key, namespace, workflow FROM holdfast.runs WHERE owner IS NOT NULL OFFSET 0) AS runs
    WHERE namespace = $1::text AND runs.workflow = wanted.workflow
        AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY key DESC
    LIMIT $4::int8
) AS found;

-- name: recent_successes
-- The successful runs among the newest $4 runs.
SELECT string_agg(uuid_send(key), ''::bytea)
FROM (SELECT key, status FROM holdfast.runs
      WHERE namespace = $1::text AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
      ORDER BY key DESC LIMIT $4::int8) AS newest
WHERE status = 'success';

-- The same ranges, counted up to $4 of each.

-- name: count_all_runs
SELECT count(*) FROM (
    SELECT 1 FROM holdfast.runs
    WHERE namespace = $1::text AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    LIMIT $4::int8
) AS found;

-- name: count_all_runs_by_status
-- For every status but success, which the index leaves out.
SELECT count(*)
FROM unnest($5::text[]) AS wanted (status)
CROSS JOIN LATERAL (
    SELECT 1
    FROM holdfast.runs
    WHERE namespace = $1::text AND runs.status <> 'success'
        AND (runs.status, key) < (wanted.status, coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        AND (runs.status, key) >= (wanted.status, coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
    ORDER BY runs.status DESC, key DESC
    LIMIT $4::int8
) AS found;

-- name: count_all_ended_runs
SELECT count(*)
FROM unnest($5::text[], $6::text[]) AS wanted (workflow, status)
CROSS JOIN LATERAL (
    SELECT 1
    FROM holdfast.runs
    WHERE namespace = $1::text AND runs.workflow COLLATE "C" = wanted.workflow
        AND finished_at IS NOT NULL
        AND (runs.status COLLATE "C", key) < (wanted.status, coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        AND (runs.status COLLATE "C", key) >= (wanted.status, coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
    ORDER BY runs.status COLLATE "C" DESC, key DESC
    LIMIT $4::int8
) AS found;

-- name: count_all_cold_runs
SELECT count(*)
FROM unnest($5::text[], $6::text[]) AS wanted (workflow, status)
CROSS JOIN LATERAL (
    SELECT 1
    FROM holdfast.runs
    WHERE namespace = $1::text AND runs.workflow COLLATE "C" = wanted.workflow
        AND owner IS NULL AND finished_at IS NULL
        AND (runs.status COLLATE "C", key) < (wanted.status, coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        AND (runs.status COLLATE "C", key) >= (wanted.status, coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
    ORDER BY runs.status COLLATE "C" DESC, key DESC
    LIMIT $4::int8
) AS found;

-- name: count_all_owned_runs
-- Reads all runs that nodes have in memory.
SELECT count(*)
FROM unnest($5::text[]) AS wanted (workflow)
CROSS JOIN LATERAL (
    SELECT 1
    FROM (SELECT key, namespace, workflow FROM holdfast.runs WHERE owner IS NOT NULL OFFSET 0) AS runs
    WHERE namespace = $1::text AND runs.workflow = wanted.workflow
        AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND key >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY key DESC
    LIMIT $4::int8
) AS found;
