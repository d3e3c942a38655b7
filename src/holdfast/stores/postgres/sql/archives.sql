-- Runs that are imported from a file. Rows of all tables are read and inserted by texts that are made of the columns
-- that a table has: see run_tables.py.

-- name: columns_of
SELECT attname::text, typname::text
FROM pg_catalog.pg_attribute
    JOIN pg_catalog.pg_class ON pg_class.oid = attrelid
    JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
    JOIN pg_catalog.pg_type ON pg_type.oid = atttypid
WHERE nspname = 'holdfast' AND relname = $1::text AND attnum > 0 AND NOT attisdropped
ORDER BY attnum;

-- name: run_namespaces
-- All but the given one, also that of runs which are being deleted. Each is one lookup in the index.
WITH RECURSIVE found (namespace) AS (
    SELECT (SELECT namespace FROM holdfast.runs ORDER BY namespace LIMIT 1)
    UNION ALL
    SELECT (SELECT runs.namespace FROM holdfast.runs WHERE runs.namespace > found.namespace
            ORDER BY runs.namespace LIMIT 1)
    FROM found WHERE namespace IS NOT NULL
)
SELECT namespace FROM found WHERE namespace <> $1::text;

-- name: children_to_export
-- Of one parent, also those that were started detached.
SELECT key, status FROM holdfast.runs WHERE parent = $2::uuid AND namespace = $1::text;

-- Messages and blocks of log lines are numbered for the whole database.

-- name: hold_numbers
-- Nobody may take a number while this transaction reserves some: a sequence that is set to what it was a moment ago
-- would give numbers twice. It waits for those who have taken one and have not committed.
LOCK TABLE holdfast.messages, holdfast.logs IN SHARE ROW EXCLUSIVE MODE;

-- name: last_numbers
-- The last message, and the last block of log lines.
SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM holdfast.messages_id_seq),
    (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM holdfast.logs_number_seq);

-- name: taken_messages
SELECT id FROM holdfast.messages WHERE id = ANY ($1::int8[]);

-- name: taken_logs
SELECT number FROM holdfast.logs WHERE number = ANY ($1::int8[]);

-- name: reserve_messages
-- Messages that come get numbers behind this one.
SELECT setval('holdfast.messages_id_seq', $1::int8);

-- name: reserve_logs
SELECT setval('holdfast.logs_number_seq', $1::int8);
