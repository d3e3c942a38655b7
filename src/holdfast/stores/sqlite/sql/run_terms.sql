-- name: insert_tags
INSERT INTO run_tags (namespace, tag, run) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING;

-- name: page_of_tagged_runs
-- Keys, the newest first. ?2 is a key: only older runs. A condition that is NULL is not applied.
SELECT runs.key FROM run_tags CROSS JOIN runs ON runs.namespace = ?1 AND runs.key = run_tags.run
WHERE run_tags.namespace = ?1 AND run_tags.tag = ?3
    AND run_tags.run < coalesce(?2, x'ffffffffffffffffffffffffffffffff')
    AND (?4 IS NULL OR status = ?4)
    AND (?5 IS NULL OR workflow = ?5)
    AND (?6 IS NULL OR fingerprint = ?6)
ORDER BY run_tags.run DESC
LIMIT ?7;

-- name: page_of_runs_by_fingerprint
SELECT key FROM runs INDEXED BY runs_by_fingerprint
WHERE namespace = ?1 AND fingerprint = ?3
    AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff')
    AND (?4 IS NULL OR status = ?4)
    AND (?5 IS NULL OR workflow = ?5)
ORDER BY key DESC
LIMIT ?6;

-- name: group_failures
-- For each cause: how many runs with keys from ?2 on, the oldest and the newest of them. The most frequent causes first.
SELECT fingerprint, count(*) AS runs, min(key), max(key) FROM runs INDEXED BY runs_by_fingerprint
WHERE namespace = ?1 AND fingerprint IS NOT NULL AND key >= ?2
GROUP BY fingerprint
ORDER BY runs DESC, fingerprint
LIMIT ?3;
