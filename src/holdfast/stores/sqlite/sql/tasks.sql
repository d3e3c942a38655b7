-- name: insert_tasks
INSERT INTO tasks (run, seq, name, status, attempt, lost, input, created_at)
VALUES (?1, ?2, ?3, ?4, 1, 0, CAST(?5 AS TEXT), ?6);

-- name: insert_branches
-- The row has only a part of the input.
INSERT INTO tasks (run, seq, name, status, attempt, lost, input, created_at, shares)
VALUES (?1, ?2, ?3, ?4, 1, 0, CAST(?5 AS TEXT), ?6, ?7);

-- name: insert_shared_inputs
INSERT INTO shared_inputs (run, seq, fields) VALUES (?1, ?2, CAST(?3 AS TEXT));

-- name: shared_inputs_of
SELECT run, seq, CAST(fields AS BLOB) FROM shared_inputs WHERE run = ?1 AND seq = ?2;

-- name: move_tasks
-- A node may not know of attempts that workers have lost since. Numbers of attempts are never reused.
UPDATE tasks
SET status = ?3, attempt = max(attempt, ?4), lost = ?5, heartbeat = CAST(?6 AS TEXT), due_at = ?7, started_at = ?8
WHERE run = ?1 AND seq = ?2;

-- name: settle_tasks
UPDATE tasks
SET status = ?3, attempt = max(attempt, ?4), output = CAST(?5 AS TEXT), failure = CAST(?6 AS TEXT), due_at = NULL,
    started_at = coalesce(?7, started_at), finished_at = ?8
WHERE run = ?1 AND seq = ?2;

-- name: start_task
-- A worker has taken the task.
UPDATE tasks SET status = 'running', attempt = ?3, lost = ?4, due_at = NULL, started_at = ?5
WHERE run = ?1 AND seq = ?2;

-- name: cancel_open_tasks
UPDATE tasks SET status = 'cancelled', due_at = NULL, finished_at = ?2
WHERE run = ?1 AND status IN ('pending', 'dispatched', 'running')
RETURNING run, seq, attempt;

-- name: reset_tasks
-- Earlier attempts do not count: the task has all the attempts of its policy again.
UPDATE tasks
SET status = 'pending', attempt = attempt + 1, lost = 0, forgiven = attempt, output = NULL, failure = NULL,
    due_at = NULL, started_at = NULL, finished_at = NULL
WHERE run = ?1 AND seq = ?2
RETURNING run, seq, attempt;

-- name: tasks_of
SELECT run, seq, name, status, attempt, lost, forgiven, CAST(input AS BLOB), CAST(output AS BLOB), CAST(failure AS BLOB),
    CAST(heartbeat AS BLOB), due_at, created_at, started_at, finished_at, shares
FROM tasks WHERE run = ?1 AND seq >= ?2
ORDER BY seq;

-- name: open_tasks_of
SELECT run, seq, name, status, attempt, lost, forgiven, CAST(input AS BLOB), CAST(output AS BLOB), CAST(failure AS BLOB),
    CAST(heartbeat AS BLOB), due_at, created_at, started_at, finished_at, shares
FROM tasks WHERE run = ?1 AND seq >= ?2 AND status NOT IN ('success', 'failed', 'skipped', 'cancelled')
ORDER BY seq;

-- name: outcomes_of
-- How settled tasks ended. Replay does not need their inputs, which may be large: the journal has a digest.
SELECT run, seq, status, CAST(output AS BLOB), CAST(failure AS BLOB)
FROM tasks WHERE run = ?1 AND seq >= ?2 AND status IN ('success', 'failed', 'skipped', 'cancelled');

-- name: page_of_outcomes
SELECT seq, status, CAST(output AS BLOB), CAST(failure AS BLOB)
FROM tasks WHERE run = ?1 AND seq >= ?2 AND status IN ('success', 'failed', 'skipped', 'cancelled')
ORDER BY seq LIMIT ?3;

-- name: list_tasks
SELECT run, seq, name, tasks.status, attempt, lost, forgiven, CAST(tasks.input AS BLOB), CAST(tasks.output AS BLOB),
    CAST(tasks.failure AS BLOB), CAST(heartbeat AS BLOB), due_at, tasks.created_at, tasks.started_at,
    tasks.finished_at, shares
FROM runs JOIN tasks ON tasks.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2 AND seq >= ?3
ORDER BY seq
LIMIT coalesce(?4, -1);

-- name: list_task_summaries
-- The fields that a view shows, without input and output. Only the end of the input is read, which holds the
-- index in a fan-out.
SELECT seq, name, substr(CAST(tasks.input AS BLOB), -300), tasks.status, attempt, lost, CAST(tasks.failure AS BLOB), due_at,
    tasks.created_at, tasks.started_at, tasks.finished_at,
    CASE WHEN tasks.finished_at IS NULL THEN CAST(heartbeat AS BLOB) END
FROM runs JOIN tasks ON tasks.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2 AND seq >= ?3
    AND (?5 IS NULL OR name = ?5)
    AND (?6 IS NULL OR tasks.status IN (SELECT value FROM json_each(?6)))
ORDER BY seq
LIMIT ?4;

-- name: insert_attempts
-- The attempts of a reopened task continue the numbering, so no row is overwritten.
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url)
VALUES (?1, ?2, ?3, ?4, CAST(?5 AS TEXT), ?6, ?7, ?8, ?9, ?10);

-- name: insert_lost_attempt
-- The attempt of a worker whose lease has run out.
INSERT INTO attempts (run, seq, attempt, status, started_at, finished_at, node, worker)
VALUES (?1, ?2, ?3, 'lost', ?4, ?5, '', ?6)
ON CONFLICT DO NOTHING;

-- name: attempts_of
SELECT run, seq, attempt, attempts.status, CAST(attempts.failure AS BLOB), attempts.started_at,
    attempts.finished_at, node, worker, worker_url
FROM runs JOIN attempts ON attempts.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2 AND seq = ?3
ORDER BY attempt;

-- name: list_attempts
SELECT run, seq, attempt, attempts.status, CAST(attempts.failure AS BLOB), attempts.started_at,
    attempts.finished_at, node, worker, worker_url
FROM runs JOIN attempts ON attempts.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2
ORDER BY seq, attempt;
