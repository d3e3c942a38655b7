-- name: insert_workflows
-- The content of a version never changes. Its origin may, and the types that its input refers to. When it was seen last is
-- right to the minute, so that processes that come and go do not write each time.
INSERT INTO workflows (namespace, created_at, seen_at, name, version, kind, hash, source, origin, input_schema)
VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT DO UPDATE SET origin = excluded.origin, input_schema = excluded.input_schema, seen_at = excluded.seen_at
    WHERE workflows.origin <> excluded.origin OR workflows.input_schema IS NOT excluded.input_schema
        OR workflows.seen_at IS NULL OR workflows.seen_at < excluded.seen_at - 60000000;

-- name: find_conflicts
-- Versions that are stored with another hash.
SELECT name, version FROM workflows WHERE namespace = ?1 AND name = ?2 AND version = ?3 AND hash <> ?4;

-- name: find_workflows
-- Drafts are left out: they are never run, and they may still change.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL, input_schema FROM workflows
WHERE namespace = ?1 AND name = ?2 AND version = ?3 AND status = 'published';

-- name: newest_workflow
-- Of all versions that nodes and clients have brought with them. A name has few.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL, input_schema FROM workflows
WHERE namespace = ?1 AND name = ?2 AND status = 'published' AND number IS NULL
ORDER BY created_at DESC, version DESC LIMIT 1;
