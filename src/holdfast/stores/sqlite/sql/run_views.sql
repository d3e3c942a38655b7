-- name: task_groups
-- The tasks of a run by name, in the order in which the names were first asked for, as it was at ?3 (NULL: as it is). ?4
-- names have a row of their own, and all others share the last one. Only the first ?5 tasks are read. `slowest` is the
-- time in milliseconds (at most 2^32 - 1) and the number of the task in one value, because SQLite has no maximum of
-- pairs. The times of all tasks are returned in one JSON array: to sort them here would take longer than all the rest.
WITH asked AS (
    SELECT seq, name, tasks.status, attempt, lost, forgiven, tasks.created_at, tasks.started_at, tasks.finished_at,
        CASE WHEN attempt = 1 THEN tasks.started_at
             ELSE coalesce((SELECT min(attempts.started_at) FROM attempts
                            WHERE attempts.run = ?2 AND attempts.seq = tasks.seq), tasks.started_at) END AS began_at
    FROM runs JOIN tasks ON tasks.run = runs.key
    WHERE runs.namespace = ?1 AND runs.key = ?2 AND (?3 IS NULL OR tasks.created_at <= ?3)
    ORDER BY seq
    LIMIT ?5
), seen AS (
    SELECT seq, name, created_at,
        CASE WHEN ?3 IS NULL OR finished_at <= ?3 THEN status
             WHEN started_at <= ?3 THEN 'running'
             WHEN attempt > 1 AND EXISTS (
                SELECT 1 FROM attempts
                WHERE attempts.run = ?2 AND attempts.seq = asked.seq
                    AND attempts.started_at <= ?3 AND attempts.finished_at > ?3) THEN 'running'
             ELSE 'pending' END AS status,
        CASE WHEN ?3 IS NULL OR began_at <= ?3 THEN began_at END AS began_at,
        CASE WHEN ?3 IS NULL OR finished_at <= ?3 THEN finished_at END AS ended_at,
        CASE WHEN ?3 IS NULL OR finished_at <= ?3 THEN max(finished_at - started_at, 0) END AS took,
        CASE WHEN attempt = 1 THEN 0
             WHEN ?3 IS NULL THEN 1
             ELSE EXISTS (SELECT 1 FROM attempts
                          WHERE attempts.run = ?2 AND attempts.seq = asked.seq AND attempts.attempt < asked.attempt
                              AND attempts.finished_at <= ?3) END AS retried,
        CASE WHEN ?3 IS NULL OR lost = 0 THEN lost
             ELSE (SELECT count(*) FROM attempts
                   WHERE attempts.run = ?2 AND attempts.seq = asked.seq AND attempts.attempt > asked.forgiven
                       AND attempts.status = 'lost' AND attempts.finished_at <= ?3) END AS lost
    FROM asked
), named AS (
    SELECT name, min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS tasks,
        sum(status = 'pending') AS pending, sum(status = 'dispatched') AS dispatched, sum(status = 'running') AS running,
        sum(status = 'success') AS success, sum(status = 'failed') AS failed, sum(status = 'skipped') AS skipped,
        sum(status = 'cancelled') AS cancelled, sum(retried) AS retried, sum(lost) AS lost,
        min(created_at) AS asked_at, min(began_at) AS began_at,
        CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END AS ended_at,
        max(took) AS most, max(min(took / 1000, 4294967295) * 2147483648 + 2147483647 - seq) AS slowest,
        json_group_array(took) FILTER (WHERE took IS NOT NULL) AS took
    FROM seen
    GROUP BY name
), placed AS (
    SELECT *, row_number() OVER (ORDER BY first_seq) AS place FROM named
)
SELECT CASE WHEN min(place) <= ?4 THEN min(name) ELSE '' END, min(first_seq), max(last_seq), sum(tasks), sum(pending),
    sum(dispatched), sum(running), sum(success), sum(failed), sum(skipped), sum(cancelled), sum(retried), sum(lost),
    min(asked_at), min(began_at), CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END,
    CASE WHEN min(place) <= ?4 THEN 2147483647 - max(slowest) % 2147483648 END,
    CASE WHEN min(place) <= ?4 THEN max(most) END, CASE WHEN min(place) <= ?4 THEN max(took) END
FROM placed
GROUP BY min(place, ?4 + 1)
ORDER BY 2;

-- name: child_groups
-- The same of its children, by workflow. Those that are parked or paused have begun.
WITH seen AS (
    SELECT parent_seq AS seq, workflow AS name, created_at,
        CASE WHEN ?3 IS NULL THEN CASE WHEN status IN ('parked', 'paused') THEN 'running' ELSE status END
             WHEN finished_at <= ?3 THEN status
             WHEN started_at <= ?3 THEN 'running'
             ELSE 'pending' END AS status,
        CASE WHEN ?3 IS NULL OR started_at <= ?3 THEN started_at END AS began_at,
        CASE WHEN ?3 IS NULL OR finished_at <= ?3 THEN finished_at END AS ended_at,
        CASE WHEN ?3 IS NULL OR finished_at <= ?3 THEN max(finished_at - started_at, 0) END AS took
    FROM runs INDEXED BY runs_by_parent
    WHERE namespace = ?1 AND parent = ?2 AND (?3 IS NULL OR created_at <= ?3)
    LIMIT ?5
), named AS (
    SELECT name, min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS tasks,
        sum(status = 'pending') AS pending, sum(status = 'running') AS running, sum(status = 'success') AS success,
        sum(status = 'failed') AS failed, sum(status = 'cancelled') AS cancelled,
        min(created_at) AS asked_at, min(began_at) AS began_at,
        CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END AS ended_at,
        max(took) AS most, max(min(took / 1000, 4294967295) * 2147483648 + 2147483647 - seq) AS slowest,
        json_group_array(took) FILTER (WHERE took IS NOT NULL) AS took
    FROM seen
    GROUP BY name
), placed AS (
    SELECT *, row_number() OVER (ORDER BY first_seq) AS place FROM named
)
SELECT CASE WHEN min(place) <= ?4 THEN min(name) ELSE '' END, min(first_seq), max(last_seq), sum(tasks), sum(pending),
    0, sum(running), sum(success), sum(failed), 0, sum(cancelled), 0, 0,
    min(asked_at), min(began_at), CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END,
    CASE WHEN min(place) <= ?4 THEN 2147483647 - max(slowest) % 2147483648 END,
    CASE WHEN min(place) <= ?4 THEN max(most) END, CASE WHEN min(place) <= ?4 THEN max(took) END
FROM placed
GROUP BY min(place, ?4 + 1)
ORDER BY 2;

-- name: question_groups
-- The same of what it has asked people for, by name.
WITH seen AS (
    SELECT number AS seq, name, asked_at AS created_at,
        CASE WHEN closed_at IS NULL OR closed_at > ?3 THEN 'pending'
             WHEN is_answered = 1 OR message IS NOT NULL THEN 'success'
             ELSE 'cancelled' END AS status,
        asked_at AS began_at,
        CASE WHEN ?3 IS NULL OR closed_at <= ?3 THEN closed_at END AS ended_at,
        CASE WHEN ?3 IS NULL OR closed_at <= ?3 THEN max(closed_at - asked_at, 0) END AS took
    FROM questions
    WHERE namespace = ?1 AND run = ?2 AND (?3 IS NULL OR asked_at <= ?3)
    ORDER BY number
    LIMIT ?5
), named AS (
    SELECT name, min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS tasks,
        sum(status = 'pending') AS pending, sum(status = 'running') AS running, sum(status = 'success') AS success,
        sum(status = 'failed') AS failed, sum(status = 'cancelled') AS cancelled,
        min(created_at) AS asked_at, min(began_at) AS began_at,
        CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END AS ended_at,
        max(took) AS most, max(min(took / 1000, 4294967295) * 2147483648 + 2147483647 - seq) AS slowest,
        json_group_array(took) FILTER (WHERE took IS NOT NULL) AS took
    FROM seen
    GROUP BY name
), placed AS (
    SELECT *, row_number() OVER (ORDER BY first_seq) AS place FROM named
)
SELECT CASE WHEN min(place) <= ?4 THEN min(name) ELSE '' END, min(first_seq), max(last_seq), sum(tasks), sum(pending),
    0, sum(running), sum(success), sum(failed), 0, sum(cancelled), 0, 0,
    min(asked_at), min(began_at), CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END,
    CASE WHEN min(place) <= ?4 THEN 2147483647 - max(slowest) % 2147483648 END,
    CASE WHEN min(place) <= ?4 THEN max(most) END, CASE WHEN min(place) <= ?4 THEN max(took) END
FROM placed
GROUP BY min(place, ?4 + 1)
ORDER BY 2;

-- name: task_spans
-- When the attempts began and ended at the first ?4 tasks of a run, or of those named ?3: two JSON arrays in one row,
-- because 100,000 rows would take long to fetch. An attempt that has not ended has no end.
WITH asked AS (
    SELECT seq, attempt, tasks.started_at, tasks.finished_at
    FROM runs JOIN tasks ON tasks.run = runs.key
    WHERE runs.namespace = ?1 AND runs.key = ?2 AND (?3 IS NULL OR name = ?3)
    ORDER BY seq
    LIMIT ?4
), seen AS (
    SELECT started_at, finished_at FROM asked WHERE started_at IS NOT NULL
    UNION ALL
    SELECT attempts.started_at, attempts.finished_at
    FROM asked CROSS JOIN attempts
    WHERE asked.attempt > 1 AND attempts.run = ?2 AND attempts.seq = asked.seq AND attempts.attempt < asked.attempt
        AND attempts.started_at IS NOT NULL
)
SELECT json_group_array(started_at), json_group_array(finished_at) FROM seen;

-- name: task_grain
-- The first ?4 tasks of one name, in order, in one row: how long each took in milliseconds, and a letter for its state, a
-- capital one if it took more than one attempt. Of those, the numbers of attempts.
WITH asked AS (
    SELECT seq, attempt, (max(tasks.finished_at - tasks.started_at, 0) + 500) / 1000 AS took,
        CASE tasks.status WHEN 'success' THEN 's' WHEN 'pending' THEN 'p' WHEN 'dispatched' THEN 'd' WHEN 'running' THEN 'r'
            WHEN 'failed' THEN 'f' WHEN 'skipped' THEN 'k' ELSE 'c' END AS state
    FROM runs JOIN tasks ON tasks.run = runs.key
    WHERE runs.namespace = ?1 AND runs.key = ?2 AND name = ?3
    ORDER BY seq
    LIMIT ?4
)
SELECT min(seq), json_group_array(took), coalesce(group_concat(CASE WHEN attempt > 1 THEN upper(state) ELSE state END, ''), ''),
    json_group_array(attempt) FILTER (WHERE attempt > 1)
FROM asked;

-- name: run_before
-- The newest run of workflow ?2 that is older than ?3: the newest one of each range of an index, and among the runs that
-- nodes have in memory.
WITH wanted (status, ended) AS (
    VALUES ('success', 1), ('failed', 1), ('cancelled', 1), ('pending', 0), ('running', 0), ('paused', 0), ('parked', 0)
), found (key) AS (
    SELECT CASE ended
        WHEN 1 THEN (SELECT key FROM runs INDEXED BY runs_ended_by_workflow
                     WHERE namespace = ?1 AND workflow = ?2 AND status = wanted.status AND finished_at IS NOT NULL
                         AND key < ?3 ORDER BY key DESC LIMIT 1)
        ELSE (SELECT key FROM runs INDEXED BY runs_cold_by_workflow
              WHERE namespace = ?1 AND workflow = ?2 AND status = wanted.status AND owner IS NULL AND finished_at IS NULL
                  AND key < ?3 ORDER BY key DESC LIMIT 1) END
    FROM wanted
    UNION ALL
    SELECT max(key) FROM runs INDEXED BY runs_by_owner
    WHERE owner IS NOT NULL AND namespace = ?1 AND workflow = ?2 AND key < ?3
)
SELECT key, id FROM runs WHERE namespace = ?1 AND key = (SELECT max(key) FROM found);

-- name: run_after
-- The oldest one that is newer, in the same way.
WITH wanted (status, ended) AS (
    VALUES ('success', 1), ('failed', 1), ('cancelled', 1), ('pending', 0), ('running', 0), ('paused', 0), ('parked', 0)
), found (key) AS (
    SELECT CASE ended
        WHEN 1 THEN (SELECT key FROM runs INDEXED BY runs_ended_by_workflow
                     WHERE namespace = ?1 AND workflow = ?2 AND status = wanted.status AND finished_at IS NOT NULL
                         AND key > ?3 ORDER BY key LIMIT 1)
        ELSE (SELECT key FROM runs INDEXED BY runs_cold_by_workflow
              WHERE namespace = ?1 AND workflow = ?2 AND status = wanted.status AND owner IS NULL AND finished_at IS NULL
                  AND key > ?3 ORDER BY key LIMIT 1) END
    FROM wanted
    UNION ALL
    SELECT min(key) FROM runs INDEXED BY runs_by_owner
    WHERE owner IS NOT NULL AND namespace = ?1 AND workflow = ?2 AND key > ?3
)
SELECT key, id FROM runs WHERE namespace = ?1 AND key = (SELECT min(key) FROM found);
