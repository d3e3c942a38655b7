-- name: insert_logs
INSERT INTO logs (run, seq, attempt, lines) VALUES (?1, ?2, ?3, CAST(?4 AS TEXT));

-- name: read_logs
-- With the name of the task, and the end of its input, which holds its index in a fan-out. Lines that the code
-- of the workflow wrote have no task.
SELECT number, logs.seq, logs.attempt, CAST(lines AS BLOB), tasks.name, substr(CAST(tasks.input AS BLOB), -300)
FROM runs
    JOIN logs ON logs.run = runs.key
    LEFT JOIN tasks ON tasks.run = logs.run AND tasks.seq = logs.seq
WHERE runs.namespace = ?1 AND runs.key = ?2 AND number > ?3 AND (?4 IS NULL OR tasks.name = ?4)
ORDER BY number
LIMIT ?5;
