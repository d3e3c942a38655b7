-- The two tables of migrations. Every release since 0.1.0 refuses a database whose highest number in
-- `schema_migrations` it does not know. So that table has the migrations that a release must know, and
-- `schema_changes` has the others, with which older releases go on.

-- name: find_schema_tables
-- Reads the catalog itself. to_regclass() answers from a cache, which may not yet contain a table that
-- another process has just created.
SELECT relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = 'holdfast' AND relname IN ('schema_migrations', 'schema_changes');

-- name: list_migrations
SELECT number, name, applied_at FROM holdfast.schema_migrations ORDER BY number;

-- name: list_schema_changes
SELECT number, name, applied_at FROM holdfast.schema_changes ORDER BY number;

-- name: record_migration
INSERT INTO holdfast.schema_migrations (number, name) VALUES ($1::int4, $2::text);

-- name: make_schema_changes
CREATE TABLE IF NOT EXISTS holdfast.schema_changes (
    number     int PRIMARY KEY,
    name       text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- name: record_schema_change
INSERT INTO holdfast.schema_changes (number, name) VALUES ($1::int4, $2::text);

-- name: read_clock
-- Not now(), which stands still during a transaction.
SELECT clock_timestamp();
