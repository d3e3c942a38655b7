-- name: insert_workflows
INSERT INTO workflows (namespace, created_at, name, version, kind, hash, source)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT DO NOTHING;

-- name: find_conflicts
-- Versions that are known with another hash.
SELECT name, version FROM workflows WHERE namespace = ?1 AND name = ?2 AND version = ?3 AND hash <> ?4;
