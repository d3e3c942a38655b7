-- name: insert_workflows
-- The content of a version never changes. Its origin may, and the types that its input refers to. When it was seen last is
-- right to the minute, so that processes that come and go do not write each time.
INSERT INTO holdfast.workflows (namespace, created_at, seen_at, name, version, kind, hash, source, origin, input_schema)
SELECT $1::text, $2::timestamptz, $2, new.*
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[]) AS new
ON CONFLICT (namespace, name, version) DO UPDATE
    SET origin = excluded.origin, input_schema = excluded.input_schema, seen_at = excluded.seen_at
    WHERE workflows.origin <> excluded.origin OR workflows.input_schema IS DISTINCT FROM excluded.input_schema
        OR workflows.seen_at IS NULL OR workflows.seen_at < excluded.seen_at - interval '1 minute';

-- name: find_conflicts
-- Versions that are stored with another hash.
WITH asked AS MATERIALIZED (
    SELECT $1::text AS namespace, asked.*
    FROM unnest($2::text[], $3::text[], $4::text[]) AS asked (name, version, hash)
)
SELECT workflows.name, workflows.version
FROM asked JOIN holdfast.workflows USING (namespace, name, version)
WHERE workflows.hash <> asked.hash;

-- name: find_workflows
-- Drafts are left out: they are never run, and they may still change.
WITH asked AS MATERIALIZED (
    SELECT $1::text AS namespace, asked.*
    FROM unnest($2::text[], $3::text[]) AS asked (name, version)
)
SELECT workflows.name, workflows.version, kind, hash, source, origin, number IS NOT NULL, input_schema
FROM asked JOIN holdfast.workflows USING (namespace, name, version)
WHERE workflows.status = 'published';

-- name: newest_workflow
-- Of all versions that nodes and clients have brought with them. A name has few.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL, input_schema FROM holdfast.workflows
WHERE namespace = $1::text AND name = $2::text AND status = 'published' AND number IS NULL
ORDER BY created_at DESC, version DESC LIMIT 1;
