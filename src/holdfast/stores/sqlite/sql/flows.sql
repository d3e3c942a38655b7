-- name: insert_flow
-- The flow gets the first free id: the name, or the name with -2, -3 … after it. ?1 to ?4 are namespace,
-- name, description and time.
INSERT INTO flows (namespace, id, name, description, created_at)
WITH RECURSIVE candidates (number, id) AS (
    SELECT 1, ?2
    UNION ALL
    SELECT number + 1, ?2 || '-' || (number + 1) FROM candidates
    WHERE EXISTS (SELECT 1 FROM flows WHERE flows.namespace = ?1 AND flows.id = candidates.id)
        OR EXISTS (SELECT 1 FROM workflows WHERE workflows.namespace = ?1 AND workflows.name = candidates.id)
)
SELECT ?1, id, ?2, ?3, ?4 FROM candidates WHERE true ORDER BY number DESC LIMIT 1
ON CONFLICT DO NOTHING
RETURNING id, name, description, created_at;

-- name: find_flow
SELECT id, name, description, created_at FROM flows WHERE namespace = ?1 AND id = ?2;

-- name: list_flows
SELECT id, name, description, created_at FROM flows WHERE namespace = ?1
ORDER BY created_at DESC, id DESC
LIMIT ?2 OFFSET ?3;

-- name: count_flows
SELECT count(*) FROM flows WHERE namespace = ?1;

-- name: flow_versions
-- The highest number first. ?3 is the wanted number, or NULL for all. ?4 says whether drafts count.
SELECT name, number, status, hash, source, created_at, kind, input_schema FROM workflows
WHERE namespace = ?1 AND name = ?2 AND number IS NOT NULL
    AND (?3 IS NULL OR number = ?3) AND (status = 'published' OR (?4 AND status = 'draft'))
ORDER BY number DESC
LIMIT ?5;

-- name: insert_version
INSERT INTO workflows (namespace, name, number, version, status, hash, source, created_at, kind, input_schema, origin)
VALUES (?1, ?2, ?3, CAST(?3 AS TEXT), ?4, ?5, ?6, ?7, ?8, ?9, '')
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: replace_draft
-- ?8 is the hash of the draft to replace. A published version is never changed.
UPDATE workflows SET status = ?4, hash = ?5, source = ?6, created_at = ?7
WHERE namespace = ?1 AND name = ?2 AND version = CAST(?3 AS TEXT) AND number = ?3 AND status = 'draft' AND hash = ?8
RETURNING 1;

-- name: insert_flow_as
-- With this id; nothing if it is there.
INSERT INTO flows (namespace, id, name, description, created_at) VALUES (?1, ?2, ?2, ?3, ?4) ON CONFLICT DO NOTHING;

-- name: delete_flow
DELETE FROM flows WHERE namespace = ?1 AND id = ?2;
