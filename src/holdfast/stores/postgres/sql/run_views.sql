-- name: task_groups
-- The tasks of a run by name, in the order in which the names were first asked for, as it was at $3 (NULL: as it is). $4
-- names have a row of their own, and all others share the last one. Only the first $5 tasks are read. Times are in
-- microseconds. `slowest` is the time in milliseconds (at most 2^32 - 1) and the number of the task in one value. The times
-- of all tasks are returned in one JSON array: to sort them here would take longer than all the rest.
WITH asked AS (
    SELECT seq, name, tasks.status, attempt, lost, forgiven, tasks.created_at, tasks.started_at, tasks.finished_at,
        CASE WHEN attempt = 1 THEN tasks.started_at
             ELSE coalesce((SELECT min(attempts.started_at) FROM holdfast.attempts
                            WHERE attempts.run = $2::uuid AND attempts.seq = tasks.seq), tasks.started_at) END AS began_at
    FROM holdfast.runs JOIN holdfast.tasks ON tasks.run = runs.key
    WHERE runs.namespace = $1::text AND runs.key = $2
        AND ($3::timestamptz IS NULL OR tasks.created_at <= $3)
    ORDER BY seq
    LIMIT $5::int4
), seen AS (
    SELECT seq, name, created_at,
        CASE WHEN $3 IS NULL OR finished_at <= $3 THEN status
             WHEN started_at <= $3 THEN 'running'
             WHEN attempt > 1 AND EXISTS (
                SELECT 1 FROM holdfast.attempts
                WHERE attempts.run = $2 AND attempts.seq = asked.seq
                    AND attempts.started_at <= $3 AND attempts.finished_at > $3) THEN 'running'
             ELSE 'pending' END AS status,
        CASE WHEN $3 IS NULL OR began_at <= $3 THEN began_at END AS began_at,
        CASE WHEN $3 IS NULL OR finished_at <= $3 THEN finished_at END AS ended_at,
        CASE WHEN finished_at IS NOT NULL AND started_at IS NOT NULL AND ($3 IS NULL OR finished_at <= $3)
             THEN greatest((date_part('epoch', finished_at - started_at) * 1000000)::int8, 0) END AS took,
        CASE WHEN attempt = 1 THEN false
             WHEN $3 IS NULL THEN true
             ELSE EXISTS (SELECT 1 FROM holdfast.attempts
                          WHERE attempts.run = $2 AND attempts.seq = asked.seq AND attempts.attempt < asked.attempt
                              AND attempts.finished_at <= $3) END AS retried,
        CASE WHEN $3 IS NULL OR lost = 0 THEN lost
             ELSE (SELECT count(*) FROM holdfast.attempts
                   WHERE attempts.run = $2 AND attempts.seq = asked.seq AND attempts.attempt > asked.forgiven
                       AND attempts.status = 'lost' AND attempts.finished_at <= $3) END AS lost
    FROM asked
    OFFSET 0
), named AS (
    SELECT name, min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS tasks,
        count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'dispatched') AS dispatched,
        count(*) FILTER (WHERE status = 'running') AS running, count(*) FILTER (WHERE status = 'success') AS success,
        count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'skipped') AS skipped,
        count(*) FILTER (WHERE status = 'cancelled') AS cancelled, count(*) FILTER (WHERE retried) AS retried,
        sum(lost) AS lost, min(created_at) AS asked_at, min(began_at) AS began_at,
        CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END AS ended_at,
        max(took) AS most,
        max(least(took / 1000, 4294967295) * 2147483648 + 2147483647 - seq) FILTER (WHERE took IS NOT NULL) AS slowest,
        json_agg(took) FILTER (WHERE took IS NOT NULL) AS took
    FROM seen
    GROUP BY name
), placed AS (
    SELECT *, row_number() OVER (ORDER BY first_seq) AS place FROM named
)
SELECT CASE WHEN min(place) <= $4::int4 THEN min(name) ELSE '' END, min(first_seq), max(last_seq), sum(tasks)::int8,
    sum(pending)::int8, sum(dispatched)::int8, sum(running)::int8, sum(success)::int8, sum(failed)::int8,
    sum(skipped)::int8, sum(cancelled)::int8, sum(retried)::int8, sum(lost)::int8,
    min(asked_at), min(began_at), CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END,
    CASE WHEN min(place) <= $4 THEN 2147483647 - max(slowest) % 2147483648 END,
    CASE WHEN min(place) <= $4 THEN max(most) END, CASE WHEN min(place) <= $4 THEN max(took::text) END
FROM placed
GROUP BY least(place, $4 + 1)
ORDER BY 2;

-- name: child_groups
-- The same of its children, by workflow. Those that are parked or paused have begun.
WITH seen AS (
    SELECT parent_seq AS seq, workflow AS name, created_at,
        CASE WHEN $3::timestamptz IS NULL THEN CASE WHEN status IN ('parked', 'paused') THEN 'running' ELSE status END
             WHEN finished_at <= $3 THEN status
             WHEN started_at <= $3 THEN 'running'
             ELSE 'pending' END AS status,
        CASE WHEN $3 IS NULL OR started_at <= $3 THEN started_at END AS began_at,
        CASE WHEN $3 IS NULL OR finished_at <= $3 THEN finished_at END AS ended_at,
        CASE WHEN finished_at IS NOT NULL AND started_at IS NOT NULL AND ($3 IS NULL OR finished_at <= $3)
             THEN greatest((date_part('epoch', finished_at - started_at) * 1000000)::int8, 0) END AS took
    FROM (SELECT * FROM holdfast.runs WHERE parent = $2::uuid OFFSET 0) AS runs
    WHERE namespace = $1::text AND ($3 IS NULL OR created_at <= $3)
    LIMIT $5::int4
), named AS (
    SELECT name, min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS tasks,
        count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'running') AS running,
        count(*) FILTER (WHERE status = 'success') AS success, count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
        min(created_at) AS asked_at, min(began_at) AS began_at,
        CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END AS ended_at,
        max(took) AS most,
        max(least(took / 1000, 4294967295) * 2147483648 + 2147483647 - seq) FILTER (WHERE took IS NOT NULL) AS slowest,
        json_agg(took) FILTER (WHERE took IS NOT NULL) AS took
    FROM seen
    GROUP BY name
), placed AS (
    SELECT *, row_number() OVER (ORDER BY first_seq) AS place FROM named
)
SELECT CASE WHEN min(place) <= $4::int4 THEN min(name) ELSE '' END, min(first_seq), max(last_seq), sum(tasks)::int8,
    sum(pending)::int8, 0, sum(running)::int8, sum(success)::int8, sum(failed)::int8, 0, sum(cancelled)::int8, 0, 0,
    min(asked_at), min(began_at), CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END,
    CASE WHEN min(place) <= $4 THEN 2147483647 - max(slowest) % 2147483648 END,
    CASE WHEN min(place) <= $4 THEN max(most) END, CASE WHEN min(place) <= $4 THEN max(took::text) END
FROM placed
GROUP BY least(place, $4 + 1)
ORDER BY 2;

-- name: question_groups
-- The same of what it has asked people for, by name.
WITH seen AS (
    SELECT number AS seq, name, asked_at AS created_at,
        CASE WHEN closed_at IS NULL OR closed_at > $3::timestamptz THEN 'pending'
             WHEN is_answered = 1 OR message IS NOT NULL THEN 'success'
             ELSE 'cancelled' END AS status,
        asked_at AS began_at,
        CASE WHEN $3 IS NULL OR closed_at <= $3 THEN closed_at END AS ended_at,
        CASE WHEN closed_at IS NOT NULL AND ($3 IS NULL OR closed_at <= $3)
             THEN greatest((date_part('epoch', closed_at - asked_at) * 1000000)::int8, 0) END AS took
    FROM holdfast.questions
    WHERE namespace = $1::text AND run = $2::uuid AND ($3 IS NULL OR asked_at <= $3)
    ORDER BY number
    LIMIT $5::int4
), named AS (
    SELECT name, min(seq) AS first_seq, max(seq) AS last_seq, count(*) AS tasks,
        count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'running') AS running,
        count(*) FILTER (WHERE status = 'success') AS success, count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
        min(created_at) AS asked_at, min(began_at) AS began_at,
        CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END AS ended_at,
        max(took) AS most,
        max(least(took / 1000, 4294967295) * 2147483648 + 2147483647 - seq) FILTER (WHERE took IS NOT NULL) AS slowest,
        json_agg(took) FILTER (WHERE took IS NOT NULL) AS took
    FROM seen
    GROUP BY name
), placed AS (
    SELECT *, row_number() OVER (ORDER BY first_seq) AS place FROM named
)
SELECT CASE WHEN min(place) <= $4::int4 THEN min(name) ELSE '' END, min(first_seq), max(last_seq), sum(tasks)::int8,
    sum(pending)::int8, 0, sum(running)::int8, sum(success)::int8, sum(failed)::int8, 0, sum(cancelled)::int8, 0, 0,
    min(asked_at), min(began_at), CASE WHEN count(ended_at) = count(*) THEN max(ended_at) END,
    CASE WHEN min(place) <= $4 THEN 2147483647 - max(slowest) % 2147483648 END,
    CASE WHEN min(place) <= $4 THEN max(most) END, CASE WHEN min(place) <= $4 THEN max(took::text) END
FROM placed
GROUP BY least(place, $4 + 1)
ORDER BY 2;

-- name: task_spans
-- When the attempts began and ended at the first $4 tasks of a run, or of those named $3, in microseconds since 1970: two
-- JSON arrays in one row, because 100,000 rows would take long to fetch. An attempt that has not ended has no end.
WITH asked AS (
    SELECT seq, attempt, tasks.started_at, tasks.finished_at
    FROM holdfast.runs JOIN holdfast.tasks ON tasks.run = runs.key
    WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND ($3::text IS NULL OR name = $3)
    ORDER BY seq
    LIMIT $4::int4
), seen AS (
    SELECT started_at, finished_at FROM asked WHERE started_at IS NOT NULL
    UNION ALL
    SELECT found.started_at, found.finished_at
    FROM asked CROSS JOIN LATERAL (
        SELECT started_at, finished_at FROM holdfast.attempts
        WHERE attempts.run = $2 AND attempts.seq = asked.seq AND attempts.attempt < asked.attempt
            AND attempts.started_at IS NOT NULL
        OFFSET 0
    ) AS found
    WHERE asked.attempt > 1
)
SELECT coalesce(json_agg((date_part('epoch', started_at) * 1000000)::int8), '[]')::text,
    coalesce(json_agg((date_part('epoch', finished_at) * 1000000)::int8), '[]')::text
FROM seen;

-- name: task_grain
-- The first $4 tasks of one name, in order, in one row: how long each took in milliseconds, and a letter for its state, a
-- capital one if it took more than one attempt. Of those, the numbers of attempts.
WITH asked AS (
    SELECT seq, attempt,
        CASE WHEN tasks.finished_at IS NOT NULL AND tasks.started_at IS NOT NULL
             THEN (greatest((date_part('epoch', tasks.finished_at - tasks.started_at) * 1000000)::int8, 0) + 500) / 1000
             END AS took,
        CASE tasks.status WHEN 'success' THEN 's' WHEN 'pending' THEN 'p' WHEN 'dispatched' THEN 'd' WHEN 'running' THEN 'r'
            WHEN 'failed' THEN 'f' WHEN 'skipped' THEN 'k' ELSE 'c' END AS state
    FROM holdfast.runs JOIN holdfast.tasks ON tasks.run = runs.key
    WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND name = $3::text
    ORDER BY seq
    LIMIT $4::int4
)
SELECT min(seq), coalesce(json_agg(took ORDER BY seq), '[]')::text,
    coalesce(string_agg(CASE WHEN attempt > 1 THEN upper(state) ELSE state END, '' ORDER BY seq), ''),
    coalesce(json_agg(attempt ORDER BY seq) FILTER (WHERE attempt > 1), '[]')::text
FROM asked;

-- name: run_before
-- The newest run of workflow $2 that is older than $3: the newest one of each range of an index, and among the runs that
-- nodes have in memory.
WITH found AS (
    SELECT (SELECT key FROM holdfast.runs
            WHERE namespace = $1::text AND runs.workflow COLLATE "C" = $2::text
                AND runs.status COLLATE "C" = wanted.status AND finished_at IS NOT NULL AND key < $3::uuid
            ORDER BY key DESC LIMIT 1) AS key
    FROM unnest(ARRAY['success', 'failed', 'cancelled']) AS wanted (status)
    UNION ALL
    SELECT (SELECT key FROM holdfast.runs
            WHERE namespace = $1 AND runs.workflow COLLATE "C" = $2
                AND runs.status COLLATE "C" = wanted.status AND owner IS NULL AND finished_at IS NULL AND key < $3
            ORDER BY key DESC LIMIT 1)
    FROM unnest(ARRAY['pending', 'running', 'paused', 'parked']) AS wanted (status)
    UNION ALL
    SELECT (SELECT key FROM (SELECT key, namespace, workflow FROM holdfast.runs WHERE owner IS NOT NULL OFFSET 0) AS owned
            WHERE namespace = $1 AND workflow = $2 AND key < $3
            ORDER BY key DESC LIMIT 1)
)
SELECT key, id FROM holdfast.runs
WHERE namespace = $1 AND key = (SELECT key FROM found WHERE key IS NOT NULL ORDER BY key DESC LIMIT 1);

-- name: run_after
-- The oldest one that is newer, in the same way.
WITH found AS (
    SELECT (SELECT key FROM holdfast.runs
            WHERE namespace = $1::text AND runs.workflow COLLATE "C" = $2::text
                AND runs.status COLLATE "C" = wanted.status AND finished_at IS NOT NULL AND key > $3::uuid
            ORDER BY key LIMIT 1) AS key
    FROM unnest(ARRAY['success', 'failed', 'cancelled']) AS wanted (status)
    UNION ALL
    SELECT (SELECT key FROM holdfast.runs
            WHERE namespace = $1 AND runs.workflow COLLATE "C" = $2
                AND runs.status COLLATE "C" = wanted.status AND owner IS NULL AND finished_at IS NULL AND key > $3
            ORDER BY key LIMIT 1)
    FROM unnest(ARRAY['pending', 'running', 'paused', 'parked']) AS wanted (status)
    UNION ALL
    SELECT (SELECT key FROM (SELECT key, namespace, workflow FROM holdfast.runs WHERE owner IS NOT NULL OFFSET 0) AS owned
            WHERE namespace = $1 AND workflow = $2 AND key > $3
            ORDER BY key LIMIT 1)
)
SELECT key, id FROM holdfast.runs
WHERE namespace = $1 AND key = (SELECT key FROM found WHERE key IS NOT NULL ORDER BY key LIMIT 1);
