-- name: insert_workflows
-- The content of a version never changes. Its origin may.
INSERT INTO workflows (namespace, created_at, name, version, kind, hash, source, origin)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT DO UPDATE SET origin = excluded.origin WHERE workflows.origin <> excluded.origin;

-- name: find_conflicts
-- Versions that are stored with another hash.
SELECT name, version FROM workflows WHERE namespace = ?1 AND name = ?2 AND version = ?3 AND hash <> ?4;

-- name: find_workflows
-- Drafts are left out: they are never run, and they may still change.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL FROM workflows
WHERE namespace = ?1 AND name = ?2 AND version = ?3 AND status = 'published';

-- name: newest_workflow
-- Of all versions that nodes and clients have brought with them. A name has few.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL FROM workflows
WHERE namespace = ?1 AND name = ?2 AND status = 'published' AND number IS NULL
ORDER BY created_at DESC, version DESC LIMIT 1;
