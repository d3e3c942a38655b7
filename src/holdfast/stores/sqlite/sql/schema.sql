-- The two tables of migrations. Every release since 0.1.0 refuses a database whose highest number in
-- `schema_migrations` it does not know. So that table has the migrations that a release must know, and
-- `schema_changes` has the others, with which older releases go on.

-- name: find_schema_tables
SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('schema_migrations', 'schema_changes');

-- name: list_migrations
SELECT number, name, unixepoch(applied_at) * 1000000 FROM schema_migrations ORDER BY number;

-- name: list_schema_changes
SELECT number, name, unixepoch(applied_at) * 1000000 FROM schema_changes ORDER BY number;

-- name: record_migration
INSERT INTO schema_migrations (number, name) VALUES (?1, ?2);

-- name: make_schema_changes
CREATE TABLE IF NOT EXISTS schema_changes (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (datetime('now'))
) STRICT;

-- name: record_schema_change
INSERT INTO schema_changes (number, name) VALUES (?1, ?2);

-- name: read_clock
-- The clock of the machine, which is the database's own. SQLite gives milliseconds.
SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) * 1000;
