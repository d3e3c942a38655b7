-- Runs that are imported from a file. Rows of all tables are read and inserted by texts that are made of the columns
-- that a table has: see run_tables.py.

-- name: columns_of
SELECT name, type FROM pragma_table_info(?1) ORDER BY cid;

-- name: run_namespaces
-- All but the given one, also that of runs which are being deleted. Each is one lookup in the index.
WITH RECURSIVE found (namespace) AS (
    SELECT min(namespace) FROM runs
    UNION ALL
    SELECT (SELECT min(namespace) FROM runs WHERE namespace > found.namespace) FROM found WHERE namespace IS NOT NULL
)
SELECT namespace FROM found WHERE namespace <> ?1;

-- name: children_to_export
-- Of one parent, also those that were started detached.
SELECT key, status FROM runs INDEXED BY runs_by_parent WHERE parent = ?2 AND namespace = ?1;

-- Messages and blocks of log lines are numbered for the whole database.

-- name: hold_numbers
-- On Postgres nobody may take a number while this transaction reserves some. SQLite has one writer anyway.
SELECT 1;

-- name: last_numbers
-- The last message, and the last block of log lines.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0),
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'logs'), 0);

-- name: taken_messages
SELECT id FROM messages WHERE id = ?1;

-- name: taken_logs
SELECT number FROM logs WHERE number = ?1;

-- name: reserve_messages
-- Messages that come get numbers behind this one. The table of sequences has no row before the first message.
INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = 'messages'), 'messages', ?1);

-- name: reserve_logs
INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = 'logs'), 'logs', ?1);
