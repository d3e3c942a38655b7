-- name: insert_steps
INSERT INTO journal (run, position, step) VALUES (?1, ?2, ?3);

-- name: steps_of
SELECT run, position, step FROM journal WHERE run = ?1 ORDER BY position;

-- name: set_state
INSERT INTO state (run, key, value) VALUES (?1, ?2, CAST(?3 AS TEXT))
ON CONFLICT (run, key) DO UPDATE SET value = excluded.value;

-- name: delete_state
DELETE FROM state WHERE run = ?1 AND key = ?2;

-- name: clear_state
DELETE FROM state WHERE run = ?1;

-- name: read_state
SELECT state.key, CAST(value AS BLOB)
FROM runs JOIN state ON state.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2
ORDER BY state.key;
