-- name: insert_workflows
-- The content of a version never changes. Its origin may, and the types that its input refers to. When it was seen last is
-- right to the minute, so that processes that come and go do not write each time.
INSERT INTO workflows (namespace, created_at, seen_at, name, version, kind, hash, source, origin, input_schema)
VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT DO UPDATE SET origin = excluded.origin, input_schema = excluded.input_schema, seen_at = excluded.seen_at,
        status = CASE workflows.status WHEN 'deleted' THEN 'published' ELSE workflows.status END
    WHERE workflows.status = 'deleted' OR workflows.origin <> excluded.origin OR workflows.input_schema IS NOT excluded.input_schema
        OR workflows.seen_at IS NULL OR workflows.seen_at < excluded.seen_at - 60000000;

-- name: find_conflicts
-- Versions that are stored with another hash.
SELECT name, version FROM workflows WHERE namespace = ?1 AND name = ?2 AND version = ?3 AND hash <> ?4;

-- name: find_workflows
-- Drafts are left out: they are never run, and they may still change. Deleted versions are found: runs of them go on.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL, input_schema FROM workflows
WHERE namespace = ?1 AND name = ?2 AND version = ?3 AND status <> 'draft';

-- name: newest_workflow
-- Of all versions that nodes and clients have brought with them. A name has few.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL, input_schema FROM workflows
WHERE namespace = ?1 AND name = ?2 AND status = 'published' AND number IS NULL
ORDER BY created_at DESC, version DESC LIMIT 1;

-- name: list_workflows
-- ?2 is the kind or NULL, ?3 the name after which the page begins. A name has few versions.
WITH page AS MATERIALIZED (
    SELECT DISTINCT name FROM workflows
    WHERE namespace = ?1 AND name > ?3 AND status = 'published' AND (?2 IS NULL OR kind = ?2)
    ORDER BY name LIMIT ?4
), ranked AS (
    SELECT name, kind, version, number IS NOT NULL AS is_published, count(*) OVER named AS versions,
        max(coalesce(seen_at, created_at)) OVER named AS seen_at,
        row_number() OVER (PARTITION BY name ORDER BY number IS NULL, number DESC, created_at DESC, version DESC) AS place
    FROM workflows
    WHERE namespace = ?1 AND name IN (SELECT name FROM page) AND status = 'published' AND (?2 IS NULL OR kind = ?2)
    WINDOW named AS (PARTITION BY name)
)
SELECT name, kind, version, is_published, versions, seen_at FROM ranked WHERE place = 1 ORDER BY name;

-- name: workflow_versions
SELECT version, kind, status, hash, origin, number, created_at, coalesce(seen_at, created_at) FROM workflows
WHERE namespace = ?1 AND name = ?2
ORDER BY number IS NULL, number DESC, created_at DESC, version DESC LIMIT ?3;

-- name: workflow_version
-- ?3 is the version, or NULL for the newest.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL, input_schema, created_at,
    coalesce(seen_at, created_at)
FROM workflows
WHERE namespace = ?1 AND name = ?2 AND (?3 IS NULL OR version = ?3) AND status = 'published'
ORDER BY number IS NULL, number DESC, created_at DESC, version DESC LIMIT 1;

-- name: delete_workflow
-- The rows stay: see `ports.workflow_store.DELETED`.
UPDATE workflows SET status = 'deleted' WHERE namespace = ?1 AND name = ?2 AND status <> 'deleted' RETURNING 1;
