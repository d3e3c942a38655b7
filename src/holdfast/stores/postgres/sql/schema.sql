-- name: find_schema_table
SELECT 1 WHERE to_regclass('holdfast.schema_migrations') IS NOT NULL;

-- name: schema_version
SELECT coalesce(max(number), 0) FROM holdfast.schema_migrations;

-- name: record_migration
INSERT INTO holdfast.schema_migrations (number, name) VALUES ($1::int4, $2::text);

-- name: read_clock
-- Not now(), which stands still during a transaction.
SELECT clock_timestamp();
