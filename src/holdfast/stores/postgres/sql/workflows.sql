-- name: insert_workflows
-- The content of a version never changes. Its origin may, and the types that its input refers to. When it was seen last is
-- right to the minute, so that processes that come and go do not write each time.
INSERT INTO holdfast.workflows (namespace, created_at, seen_at, name, version, kind, hash, source, origin, input_schema)
SELECT $1::text, $2::timestamptz, $2, new.*
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[]) AS new
ON CONFLICT (namespace, name, version) DO UPDATE
    SET origin = excluded.origin, input_schema = excluded.input_schema, seen_at = excluded.seen_at,
        status = CASE workflows.status WHEN 'deleted' THEN 'published' ELSE workflows.status END
    WHERE workflows.status = 'deleted' OR workflows.origin <> excluded.origin OR workflows.input_schema IS DISTINCT FROM excluded.input_schema
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
-- Drafts are left out: they are never run, and they may still change. Deleted versions are found: runs of them go on.
WITH asked AS MATERIALIZED (
    SELECT $1::text AS namespace, asked.*
    FROM unnest($2::text[], $3::text[]) AS asked (name, version)
)
SELECT workflows.name, workflows.version, kind, hash, source, origin, number IS NOT NULL, input_schema
FROM asked JOIN holdfast.workflows USING (namespace, name, version)
WHERE workflows.status <> 'draft';

-- name: newest_workflow
-- Of all versions that nodes and clients have brought with them. A name has few.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL, input_schema FROM holdfast.workflows
WHERE namespace = $1::text AND name = $2::text AND status = 'published' AND number IS NULL
ORDER BY created_at DESC, version DESC LIMIT 1;

-- name: list_workflows
-- $2 is the kind or NULL, $3 the name after which the page begins. A name has few versions. Names are sorted as SQLite
-- does, whatever language the database speaks.
WITH page AS MATERIALIZED (
    SELECT DISTINCT name COLLATE "C" AS name FROM holdfast.workflows
    WHERE namespace = $1::text AND name COLLATE "C" > $3::text AND status = 'published'
        AND ($2::text IS NULL OR kind = $2)
    ORDER BY 1 LIMIT $4::int8
), ranked AS (
    SELECT name, kind, version, number IS NOT NULL AS is_published, count(*) OVER named AS versions,
        max(coalesce(seen_at, created_at)) OVER named AS seen_at,
        row_number() OVER (
            PARTITION BY name
            ORDER BY number IS NULL, number DESC, created_at DESC, version COLLATE "C" DESC
        ) AS place
    FROM holdfast.workflows
    WHERE namespace = $1 AND name IN (SELECT name FROM page) AND status = 'published' AND ($2 IS NULL OR kind = $2)
    WINDOW named AS (PARTITION BY name)
)
SELECT name, kind, version, is_published, versions, seen_at FROM ranked WHERE place = 1 ORDER BY name COLLATE "C";

-- name: workflow_versions
SELECT version, kind, status, hash, origin, number, created_at, coalesce(seen_at, created_at) FROM holdfast.workflows
WHERE namespace = $1::text AND name = $2::text
ORDER BY number IS NULL, number DESC, created_at DESC, version COLLATE "C" DESC LIMIT $3::int8;

-- name: workflow_version
-- $3 is the version, or NULL for the newest.
SELECT name, version, kind, hash, source, origin, number IS NOT NULL, input_schema, created_at,
    coalesce(seen_at, created_at)
FROM holdfast.workflows
WHERE namespace = $1::text AND name = $2::text AND ($3::text IS NULL OR version = $3) AND status = 'published'
ORDER BY number IS NULL, number DESC, created_at DESC, version COLLATE "C" DESC LIMIT 1;

-- name: delete_workflow
-- The rows stay: see `ports.workflow_store.DELETED`.
UPDATE holdfast.workflows SET status = 'deleted'
WHERE namespace = $1::text AND name = $2::text AND status <> 'deleted' RETURNING 1;
