-- name: insert_flow
-- The flow gets the first free id: the name, or the name with -2, -3 … after it. $1 to $4 are namespace,
-- name, description and time. No row comes back if another transaction has just taken that id. OFFSET 0 makes
-- Postgres look up each id. Without it, all flows and workflows would be read.
INSERT INTO holdfast.flows (namespace, id, name, description, created_at)
WITH RECURSIVE candidates (number, id) AS (
    SELECT 1, $2::text COLLATE "C"
    UNION ALL
    SELECT number + 1, ($2 || '-' || (number + 1)) COLLATE "C" FROM candidates
    WHERE EXISTS (SELECT 1 FROM holdfast.flows WHERE flows.namespace = $1::text AND flows.id = candidates.id OFFSET 0)
        OR EXISTS (SELECT 1 FROM holdfast.workflows
                   WHERE workflows.namespace = $1 AND workflows.name = candidates.id COLLATE "default" OFFSET 0)
)
SELECT $1, id, $2, $3::text, $4::timestamptz FROM candidates ORDER BY number DESC LIMIT 1
ON CONFLICT DO NOTHING
RETURNING id, name, description, created_at;

-- name: find_flow
SELECT id, name, description, created_at FROM holdfast.flows WHERE namespace = $1::text AND id = $2::text;

-- name: list_flows
SELECT id, name, description, created_at FROM holdfast.flows WHERE namespace = $1::text
ORDER BY created_at DESC, id DESC
LIMIT $2::int8 OFFSET $3::int8;

-- name: count_flows
SELECT count(*) FROM holdfast.flows WHERE namespace = $1::text;

-- name: flow_versions
-- The highest number first. $3 is the wanted number, or NULL for all. $4 says whether drafts count.
SELECT name, number, status, hash, source, created_at, kind, input_schema FROM holdfast.workflows
WHERE namespace = $1::text AND name = $2::text AND number IS NOT NULL
    AND ($3::int8 IS NULL OR number = $3) AND (status = 'published' OR ($4::int4 <> 0 AND status = 'draft'))
ORDER BY number DESC
LIMIT $5::int8;

-- name: insert_version
INSERT INTO holdfast.workflows (namespace, name, number, version, status, hash, source, created_at, kind, input_schema, origin)
VALUES ($1::text, $2::text, $3::int8, ($3)::text, $4::text, $5::text, $6::text, $7::timestamptz, $8::text, $9::text, '')
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: replace_draft
-- $8 is the hash of the draft to replace. A published version is never changed.
UPDATE holdfast.workflows SET status = $4::text, hash = $5::text, source = $6::text, created_at = $7::timestamptz
WHERE namespace = $1::text AND name = $2::text AND number = $3::int8 AND version = ($3)::text AND status = 'draft'
    AND hash = $8::text
RETURNING 1;

-- name: insert_flow_as
-- With this id; nothing if it is there.
INSERT INTO holdfast.flows (namespace, id, name, description, created_at)
VALUES ($1::text, $2::text, $2, $3::text, $4::timestamptz) ON CONFLICT DO NOTHING;

-- name: delete_flow
DELETE FROM holdfast.flows WHERE namespace = $1::text AND id = $2::text;
