-- The keys of the newest runs of a range of an index, in one value: thousands of rows would take the GIL one after the
-- other. ?2 and ?3 are keys: only older runs, and no older ones. ?4 is how many. The other parameters name the range.

-- name: keys_of_runs
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT key FROM runs
    WHERE namespace = ?1 AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: keys_of_children
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT key FROM runs INDEXED BY runs_by_parent
    WHERE namespace = ?1 AND parent = ?5
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: keys_of_scheduled_runs
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT key FROM runs INDEXED BY runs_by_schedule
    WHERE namespace = ?1 AND schedule = ?5
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: keys_of_tagged_runs
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT runs.key FROM run_tags CROSS JOIN runs ON runs.namespace = ?1 AND runs.key = run_tags.run
    WHERE run_tags.namespace = ?1 AND run_tags.tag = ?5
        AND run_tags.run < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND run_tags.run >= coalesce(?3, x'')
    ORDER BY run_tags.run DESC LIMIT ?4
);

-- name: keys_by_fingerprint
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT key FROM runs INDEXED BY runs_by_fingerprint
    WHERE namespace = ?1 AND fingerprint = ?5
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: keys_by_status
-- For every status but success, which the index leaves out.
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT key FROM runs INDEXED BY runs_by_status
    WHERE namespace = ?1 AND status = ?5 AND status <> 'success'
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: keys_of_ended_runs
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT key FROM runs INDEXED BY runs_ended_by_workflow
    WHERE namespace = ?1 AND workflow = ?5 AND status = ?6 AND finished_at IS NOT NULL
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: keys_of_cold_runs
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT key FROM runs INDEXED BY runs_cold_by_workflow
    WHERE namespace = ?1 AND workflow = ?5 AND status = ?6 AND owner IS NULL AND finished_at IS NULL
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: keys_of_owned_runs
-- Reads all runs that nodes have in memory.
SELECT unhex(group_concat(hex(key), '')) FROM (
    SELECT key FROM runs INDEXED BY runs_by_owner
    WHERE namespace = ?1 AND workflow = ?5 AND owner IS NOT NULL
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    ORDER BY key DESC LIMIT ?4
);

-- name: recent_successes
-- The successful runs among the newest ?4 runs.
SELECT unhex(group_concat(hex(key), ''))
FROM (SELECT key, status FROM runs
      WHERE namespace = ?1 AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
      ORDER BY key DESC LIMIT ?4)
WHERE status = 'success';

-- The same ranges, counted up to ?4.

-- name: count_all_runs
SELECT count(*) FROM (
    SELECT 1 FROM runs
    WHERE namespace = ?1 AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    LIMIT ?4
);

-- name: count_all_runs_by_status
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_by_status
    WHERE namespace = ?1 AND status = ?5 AND status <> 'success'
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    LIMIT ?4
);

-- name: count_all_ended_runs
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_ended_by_workflow
    WHERE namespace = ?1 AND workflow = ?5 AND status = ?6 AND finished_at IS NOT NULL
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    LIMIT ?4
);

-- name: count_all_cold_runs
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_cold_by_workflow
    WHERE namespace = ?1 AND workflow = ?5 AND status = ?6 AND owner IS NULL AND finished_at IS NULL
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    LIMIT ?4
);

-- name: count_all_owned_runs
-- Reads all runs that nodes have in memory.
SELECT count(*) FROM (
    SELECT 1 FROM runs INDEXED BY runs_by_owner
    WHERE namespace = ?1 AND workflow = ?5 AND owner IS NOT NULL
        AND key < coalesce(?2, x'ffffffffffffffffffffffffffffffff') AND key >= coalesce(?3, x'')
    LIMIT ?4
);
