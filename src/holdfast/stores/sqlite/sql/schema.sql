-- name: find_schema_table
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations';

-- name: schema_version
SELECT coalesce(max(number), 0) FROM schema_migrations;

-- name: record_migration
INSERT INTO schema_migrations (number, name) VALUES (?1, ?2);

-- name: read_clock
-- The clock of the machine, which is the database's own. SQLite gives milliseconds.
SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) * 1000;
