-- name: insert_logs
INSERT INTO holdfast.logs (run, seq, attempt, lines)
SELECT * FROM unnest($1::uuid[], $2::int4[], $3::int4[], $4::json[]);

-- name: read_logs
-- With the name of the task, and the end of its input, which holds its index in a fan-out. Lines that the code
-- of the workflow wrote have no task. The input is read as text, because Postgres cannot query JSON that contains
-- \u0000.
SELECT number, logs.seq, logs.attempt, lines, tasks.name, convert_to(right(tasks.input::text, 300), 'UTF8')
FROM holdfast.runs
    JOIN holdfast.logs ON logs.run = runs.key
    LEFT JOIN holdfast.tasks ON tasks.run = logs.run AND tasks.seq = logs.seq
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND number > $3::int8
    AND ($4::text IS NULL OR tasks.name = $4)
ORDER BY number
LIMIT $5::int4;
