-- name: insert_tasks
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, input, created_at)
SELECT run, seq, name, status, 1, 0, input, created_at
FROM unnest($1::uuid[], $2::int4[], $3::text[], $4::text[], $5::json[], $6::timestamptz[])
    AS new (run, seq, name, status, input, created_at);

-- name: insert_branches
-- The row has only a part of the input.
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, input, created_at, shares)
SELECT run, seq, name, status, 1, 0, input, created_at, shares
FROM unnest($1::uuid[], $2::int4[], $3::text[], $4::text[], $5::json[], $6::timestamptz[], $7::int4[])
    AS new (run, seq, name, status, input, created_at, shares);

-- name: insert_shared_inputs
INSERT INTO holdfast.shared_inputs (run, seq, fields)
SELECT * FROM unnest($1::uuid[], $2::int4[], $3::json[]);

-- name: shared_inputs_of
SELECT shared_inputs.run, shared_inputs.seq, fields
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, seq)
JOIN holdfast.shared_inputs ON shared_inputs.run = wanted.run AND shared_inputs.seq = wanted.seq;

-- name: move_tasks
-- A node may not know of attempts that workers have lost since. Numbers of attempts are never reused.
UPDATE holdfast.tasks
SET status = moved.status, attempt = greatest(tasks.attempt, moved.attempt), lost = moved.lost, heartbeat = moved.heartbeat,
    due_at = moved.due_at, started_at = moved.started_at
FROM unnest($1::uuid[], $2::int4[], $3::text[], $4::int4[], $5::int4[], $6::json[], $7::timestamptz[],
            $8::timestamptz[]) AS moved (run, seq, status, attempt, lost, heartbeat, due_at, started_at)
WHERE tasks.run = moved.run AND tasks.seq = moved.seq;

-- name: settle_tasks
UPDATE holdfast.tasks
SET status = settled.status, attempt = greatest(tasks.attempt, settled.attempt), output = settled.output,
    failure = settled.failure, due_at = NULL, started_at = coalesce(settled.started_at, tasks.started_at),
    finished_at = settled.finished_at
FROM unnest($1::uuid[], $2::int4[], $3::text[], $4::int4[], $5::json[], $6::json[], $7::timestamptz[],
            $8::timestamptz[])
    AS settled (run, seq, status, attempt, output, failure, started_at, finished_at)
WHERE tasks.run = settled.run AND tasks.seq = settled.seq;

-- name: start_task
-- A worker has taken the task.
UPDATE holdfast.tasks
SET status = 'running', attempt = $3::int4, lost = $4::int4, due_at = NULL, started_at = $5::timestamptz
WHERE run = $1::uuid AND seq = $2::int4;

-- name: cancel_open_tasks
UPDATE holdfast.tasks SET status = 'cancelled', due_at = NULL, finished_at = ended.finished_at
FROM unnest($1::uuid[], $2::timestamptz[]) AS ended (run, finished_at)
WHERE tasks.run = ended.run AND status IN ('pending', 'dispatched', 'running')
RETURNING tasks.run, seq, attempt;

-- name: reset_tasks
-- Earlier attempts do not count: the task has all the attempts of its policy again.
UPDATE holdfast.tasks
SET status = 'pending', attempt = attempt + 1, lost = 0, forgiven = attempt, output = NULL, failure = NULL,
    due_at = NULL, started_at = NULL, finished_at = NULL
FROM unnest($1::uuid[], $2::int4[]) AS again (run, seq)
WHERE tasks.run = again.run AND tasks.seq = again.seq
RETURNING tasks.run, tasks.seq, attempt;

-- name: tasks_of
SELECT found.run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at,
    started_at, finished_at, shares
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, since)
CROSS JOIN LATERAL (
    SELECT * FROM holdfast.tasks
    WHERE tasks.run = wanted.run AND seq >= wanted.since
    OFFSET 0
) AS found
ORDER BY found.run, seq;

-- name: open_tasks_of
SELECT found.run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at,
    started_at, finished_at, shares
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, since)
CROSS JOIN LATERAL (
    SELECT * FROM holdfast.tasks
    WHERE tasks.run = wanted.run AND seq >= wanted.since
        AND status NOT IN ('success', 'failed', 'skipped', 'cancelled')
    OFFSET 0
) AS found
ORDER BY found.run, seq;

-- name: outcomes_of
-- How settled tasks ended. Replay does not need their inputs, which may be large: the journal has a digest.
SELECT found.run, seq, status, output, failure
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, since)
CROSS JOIN LATERAL (
    SELECT * FROM holdfast.tasks
    WHERE tasks.run = wanted.run AND seq >= wanted.since
        AND status IN ('success', 'failed', 'skipped', 'cancelled')
    OFFSET 0
) AS found;

-- name: page_of_outcomes
SELECT seq, status, output, failure
FROM holdfast.tasks
WHERE run = $1::uuid AND seq >= $2::int4 AND status IN ('success', 'failed', 'skipped', 'cancelled')
ORDER BY seq
LIMIT $3::int4;

-- name: list_tasks
SELECT run, seq, name, tasks.status, attempt, lost, forgiven, tasks.input, tasks.output, tasks.failure, heartbeat,
    due_at, tasks.created_at, tasks.started_at, tasks.finished_at, shares
FROM holdfast.runs JOIN holdfast.tasks ON tasks.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND seq >= $3::int4
ORDER BY seq
LIMIT $4::int4;

-- name: list_task_summaries
-- The fields that a view shows, without input and output. Only the end of the input is read, which holds the
-- index in a fan-out. It is read as text, because Postgres cannot query JSON that contains \u0000.
SELECT seq, name, convert_to(right(tasks.input::text, 300), 'UTF8'), tasks.status, attempt, lost, tasks.failure, due_at,
    tasks.created_at, tasks.started_at, tasks.finished_at,
    CASE WHEN tasks.finished_at IS NULL THEN heartbeat END
FROM holdfast.runs JOIN holdfast.tasks ON tasks.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND seq >= $3::int4
    AND ($5::text IS NULL OR name = $5)
    AND ($6::text[] IS NULL OR tasks.status = ANY ($6))
ORDER BY seq
LIMIT $4::int4;

-- name: insert_attempts
-- The attempts of a reopened task continue the numbering, so no row is overwritten.
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url)
SELECT * FROM unnest($1::uuid[], $2::int4[], $3::int4[], $4::text[], $5::json[], $6::timestamptz[],
                     $7::timestamptz[], $8::text[], $9::text[], $10::text[]);

-- name: insert_lost_attempt
-- The attempt of a worker whose lease has run out.
INSERT INTO holdfast.attempts (run, seq, attempt, status, started_at, finished_at, node, worker)
VALUES ($1::uuid, $2::int4, $3::int4, 'lost', $4::timestamptz, $5::timestamptz, '', $6::text)
ON CONFLICT DO NOTHING;

-- name: attempts_of
SELECT run, seq, attempt, attempts.status, attempts.failure, attempts.started_at, attempts.finished_at, node,
    worker, worker_url
FROM holdfast.runs JOIN holdfast.attempts ON attempts.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND seq = ANY ($3::int4[])
ORDER BY seq, attempt;

-- name: list_attempts
SELECT run, seq, attempt, attempts.status, attempts.failure, attempts.started_at, attempts.finished_at, node,
    worker, worker_url
FROM holdfast.runs JOIN holdfast.attempts ON attempts.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid
ORDER BY seq, attempt;
