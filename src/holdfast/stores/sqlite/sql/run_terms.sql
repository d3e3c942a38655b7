-- name: insert_tags
INSERT INTO run_tags (namespace, tag, run) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING;

-- name: runs_that_match
-- Those of the runs ?16 that meet the conditions: keys in hexadecimal digits. A condition that is NULL is not applied. ?10
-- to ?12 are patterns for the id, the class of the failure and its text; ?13 are tags; ?14 and ?15 are microseconds. The
-- failure is JSON, so the pattern may fit more than was meant: the caller looks at the id and the failure, which are here
-- if they are asked for.
SELECT runs.key, id, CASE WHEN coalesce(?11, ?12) IS NOT NULL THEN CAST(failure AS BLOB) END
FROM (SELECT value FROM json_each(?16)) AS wanted
    CROSS JOIN runs ON namespace = ?1 AND runs.key = unhex(wanted.value)
WHERE (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
    AND (?3 IS NULL OR workflow = ?3)
    AND (?4 IS NULL OR version = ?4)
    AND (?5 IS NULL OR schedule = ?5)
    AND (?6 IS NULL OR parent = ?6)
    AND (?7 IS NULL OR fingerprint = ?7)
    AND (?8 IS NULL OR finished_at >= ?8)
    AND (?9 IS NULL OR finished_at < ?9)
    AND (?10 IS NULL OR id IS NULL OR id LIKE ?10 ESCAPE '\')
    AND (?11 IS NULL OR failure LIKE ?11 ESCAPE '\')
    AND (?12 IS NULL OR failure LIKE ?12 ESCAPE '\')
    AND NOT EXISTS (
        SELECT 1 FROM json_each(?13) AS wanted
        WHERE NOT EXISTS (
            SELECT 1 FROM run_tags
            WHERE run_tags.namespace = ?1 AND run_tags.tag = wanted.value AND run_tags.run = runs.key))
    AND (?14 IS NULL OR max(finished_at - coalesce(started_at, finished_at), 0) >= ?14)
    AND (?15 IS NULL OR max(finished_at - coalesce(started_at, finished_at), 0) < ?15);

-- name: groups_of
-- ?2 are keys in hexadecimal digits.
SELECT status, workflow, count(*)
FROM (SELECT value FROM json_each(?2)) AS wanted
    CROSS JOIN runs ON namespace = ?1 AND runs.key = unhex(wanted.value)
GROUP BY status, workflow;

-- name: listed_sizes
-- How many bytes `listed_runs` reads of each run. ?2: with input and output.
SELECT key, coalesce(octet_length(failure), 0)
    + CASE WHEN ?2 THEN octet_length(input) + coalesce(octet_length(output), 0) ELSE 0 END
FROM runs WHERE namespace = ?1 AND key = ?3;

-- name: listed_runs
-- ?2: with input and output.
SELECT key, namespace, id, workflow, version, claim, status,
    CASE WHEN ?2 THEN CAST(input AS BLOB) END, CASE WHEN ?2 THEN CAST(output AS BLOB) END,
    CAST(failure AS BLOB), parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, schedule,
    CAST(options AS BLOB), priority, chapter
FROM runs WHERE namespace = ?1 AND key = ?3;

-- name: group_newest_failures
-- Of the newest ?4 runs that failed and have keys from ?2 on: how many there are for each cause, the oldest and the newest
-- of them, and how many there are in all. The most frequent causes first.
WITH found AS MATERIALIZED (
    SELECT key, fingerprint FROM runs INDEXED BY runs_by_status
    WHERE namespace = ?1 AND status = 'failed' AND status <> 'success' AND key >= ?2
    ORDER BY key DESC
    LIMIT ?4
)
SELECT fingerprint, count(*) AS runs, min(key), max(key), (SELECT count(*) FROM found)
FROM found
WHERE fingerprint IS NOT NULL
GROUP BY fingerprint
ORDER BY runs DESC, fingerprint
LIMIT ?3;

-- name: group_failures
-- For each cause: how many runs with keys from ?2 on, up to ?4, the oldest and the newest of them. The most frequent causes
-- first. One lookup in the index for each cause finds the next, so older failures and more of them are not read.
WITH RECURSIVE found (fingerprint) AS (
    SELECT (SELECT fingerprint FROM runs INDEXED BY runs_by_fingerprint
            WHERE namespace = ?1 AND fingerprint IS NOT NULL
            ORDER BY fingerprint LIMIT 1)
    UNION ALL
    SELECT (SELECT fingerprint FROM runs INDEXED BY runs_by_fingerprint
            WHERE namespace = ?1 AND fingerprint > found.fingerprint
            ORDER BY fingerprint LIMIT 1)
    FROM found WHERE fingerprint IS NOT NULL
), counted AS MATERIALIZED (
    SELECT fingerprint,
        (SELECT count(*) FROM (SELECT 1 FROM runs INDEXED BY runs_by_fingerprint
                               WHERE namespace = ?1 AND fingerprint = found.fingerprint AND key >= ?2 LIMIT ?4)) AS runs,
        (SELECT min(key) FROM runs INDEXED BY runs_by_fingerprint
         WHERE namespace = ?1 AND fingerprint = found.fingerprint AND key >= ?2) AS first,
        (SELECT max(key) FROM runs INDEXED BY runs_by_fingerprint
         WHERE namespace = ?1 AND fingerprint = found.fingerprint AND key >= ?2) AS last
    FROM found WHERE fingerprint IS NOT NULL
)
SELECT fingerprint, runs, first, last FROM counted
WHERE runs > 0
ORDER BY runs DESC, fingerprint
LIMIT ?3;
