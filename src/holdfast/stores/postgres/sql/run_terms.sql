-- name: insert_tags
INSERT INTO holdfast.run_tags (namespace, tag, run)
SELECT $1::text, tag, run FROM unnest($2::text[], $3::uuid[]) AS tags (tag, run)
ON CONFLICT DO NOTHING;

-- name: page_of_tagged_runs
-- Keys, the newest first. $2 is a key: only older runs. A condition that is NULL is not applied. OFFSET 0 has each run
-- looked up by its key. Without statistics, as in a new database, a join would read all runs once for each tag.
SELECT found.key FROM holdfast.run_tags
CROSS JOIN LATERAL (
    SELECT key, status, workflow, fingerprint FROM holdfast.runs
    WHERE runs.namespace = $1::text AND runs.key = run_tags.run
    OFFSET 0
) AS found
WHERE run_tags.namespace = $1 AND run_tags.tag = $3::text
    AND run_tags.run < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    AND ($4::text IS NULL OR status = $4)
    AND ($5::text IS NULL OR workflow = $5)
    AND ($6::text IS NULL OR fingerprint = $6)
ORDER BY run_tags.run DESC
LIMIT $7::int8;

-- name: page_of_runs_by_fingerprint
SELECT key FROM holdfast.runs
WHERE namespace = $1::text AND fingerprint = $3::text
    AND key < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    AND ($4::text IS NULL OR status = $4)
    AND ($5::text IS NULL OR workflow = $5)
ORDER BY key DESC
LIMIT $6::int8;

-- name: group_failures
-- For each cause: how many runs with keys from $2 on, the oldest and the newest of them. The most frequent causes first.
SELECT fingerprint, count(*) AS runs, (array_agg(key ORDER BY key))[1], (array_agg(key ORDER BY key DESC))[1]
FROM holdfast.runs
WHERE namespace = $1::text AND fingerprint IS NOT NULL AND key >= $2::uuid
GROUP BY fingerprint
ORDER BY runs DESC, fingerprint
LIMIT $3::int8;
