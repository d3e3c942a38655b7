-- Runs as points of a picture. ?2 and ?3 are keys: only older runs, and no older ones.

-- name: page_of_points
-- One row, with each column as JSON: thousands of rows would take the GIL one after the other.
SELECT json_group_array(lower(hex(key))), json_group_array(id), json_group_array(workflow), json_group_array(version),
    json_group_array(status), json_group_array(created_at), json_group_array(started_at), json_group_array(finished_at)
FROM (
    SELECT key, id, workflow, version, status, created_at, started_at, finished_at FROM runs
    WHERE namespace = ?1 AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: points_of
-- ?2 are keys in hexadecimal digits. The answer is as above, the newest first, as the keys are.
SELECT json_group_array(lower(hex(key))), json_group_array(id), json_group_array(workflow), json_group_array(version),
    json_group_array(status), json_group_array(created_at), json_group_array(started_at), json_group_array(finished_at)
FROM (
    SELECT runs.key, id, workflow, version, status, created_at, started_at, finished_at
    FROM (SELECT key AS place, value FROM json_each(?2)) AS wanted
    CROSS JOIN runs ON namespace = ?1 AND runs.key = unhex(wanted.value)
    ORDER BY place
);

-- name: nth_run
SELECT key FROM runs
WHERE namespace = ?1 AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
ORDER BY key DESC LIMIT 1 OFFSET ?4;

-- name: first_run
SELECT key FROM runs
WHERE namespace = ?1 AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
ORDER BY key LIMIT 1;

-- name: bins_of_points
-- The newest ?4 runs. 240 columns divide the time from ?5 to ?6, and 40 rows the logarithm of how long a run took, from
-- 1 ms to 30 days; row 63 is for runs that have not ended. The three numbers are one, which is sorted faster. The answer is one row, as above.
SELECT json_group_array(bin), json_group_array(runs) FROM (
SELECT (min(max((created_at - ?5) * 240 / max(?6 - ?5, 1), 0), 239) * 64 + CASE
        WHEN finished_at IS NULL THEN 63
        ELSE min(CAST(40 * ln(max(finished_at - coalesce(started_at, finished_at), 1000) / 1000.0) / ln(2592000000.0)
            AS INTEGER), 39)
    END) * 7 + CASE status
        WHEN 'pending' THEN 0 WHEN 'running' THEN 1 WHEN 'success' THEN 2 WHEN 'failed' THEN 3 WHEN 'cancelled' THEN 4
        WHEN 'paused' THEN 5 ELSE 6
    END AS bin, count(*) AS runs
FROM (
    SELECT created_at, started_at, finished_at, status FROM runs
    WHERE namespace = ?1 AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
)
GROUP BY bin ORDER BY bin
);

-- name: task_times_of
-- ?2 are keys of runs in hexadecimal digits. Of each run the tasks with a number below ?3, and ?4 in all. One row, as
-- above.
SELECT json_group_array(name), json_group_array(status), json_group_array(attempt), json_group_array(took)
FROM (
    SELECT name, tasks.status, attempt, tasks.finished_at - tasks.started_at AS took
    FROM (SELECT key AS place, unhex(value) AS run FROM json_each(?2)) AS wanted
    CROSS JOIN runs ON runs.namespace = ?1 AND runs.key = wanted.run
    CROSS JOIN tasks ON tasks.run = runs.key AND seq < ?3
    LIMIT ?4
);

-- name: count_open_runs
-- Of the workflows ?2 the runs that have not ended and that no node has in memory, up to ?3 of each. Then of all workflows
-- those that nodes have.
SELECT value, (SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_cold_by_workflow
    WHERE namespace = ?1 AND workflow = wanted.value AND owner IS NULL AND finished_at IS NULL
    LIMIT ?3))
FROM json_each(?2) AS wanted
UNION ALL
SELECT workflow, count(*) FROM runs INDEXED BY runs_by_owner
WHERE owner IS NOT NULL AND namespace = ?1
GROUP BY workflow;
