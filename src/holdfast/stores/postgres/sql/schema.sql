-- name: find_schema_table
-- Reads the catalog itself. to_regclass() answers from a cache, which may not yet contain a table that
-- another process has just created.
SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = 'holdfast' AND relname = 'schema_migrations';

-- name: schema_version
SELECT coalesce(max(number), 0) FROM holdfast.schema_migrations;

-- name: record_migration
INSERT INTO holdfast.schema_migrations (number, name) VALUES ($1::int4, $2::text);

-- name: read_clock
-- Not now(), which stands still during a transaction.
SELECT clock_timestamp();
