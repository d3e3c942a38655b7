-- Deleting runs. A run is first buried: its row moves to a namespace that no client and no node has. From then on nobody
-- finds the run, so nobody misses rows of it, and nobody can open it again. Then its other rows are deleted, as many as
-- fit into one transaction, and its own row last. So whoever deletes next finds what a crash has left.

-- name: page_of_ended_keys
-- The oldest runs of workflow ?3 that ended with status ?4, with keys between ?5 and ?6.
SELECT ?3, ?4, key, finished_at FROM runs INDEXED BY runs_ended_by_workflow
WHERE namespace = ?1 AND workflow = ?3 AND status = ?4 AND finished_at IS NOT NULL AND key > ?5 AND key < ?6
ORDER BY key
LIMIT ?2;

-- name: families_of
-- When these runs ended, how many runs each has in its family, with itself, and one of them that has not ended. Children
-- that were started detached (depth 0) are no part of it, nor are their children. A run whose parent still has a
-- row is left out: replay of the parent reads the row of its child.
WITH RECURSIVE family (key, is_open, ended_at) AS (
    SELECT key, 0, finished_at FROM runs
    WHERE namespace = ?1 AND key = ?2 AND status IN ('success', 'failed', 'cancelled')
        AND NOT EXISTS (SELECT 1 FROM runs AS parent WHERE parent.namespace = ?1 AND parent.key = runs.parent)
    UNION ALL
    SELECT child.key, child.status NOT IN ('success', 'failed', 'cancelled'), NULL
    FROM family CROSS JOIN runs AS child INDEXED BY runs_by_parent ON child.parent = family.key
    WHERE child.depth > 0
)
SELECT ?2, max(ended_at), count(*), max(CASE WHEN is_open THEN key END) FROM family HAVING count(*) > 0;

-- name: lock_to_bury
-- With the size of the payloads in the row. SQLite has locked the whole database already.
SELECT key, CAST(options AS BLOB),
    octet_length(input) + coalesce(octet_length(output), 0) + coalesce(octet_length(failure), 0),
    id, workflow
FROM runs WHERE namespace = ?1 AND key = ?2;

-- name: bury_runs
-- ?2 is the namespace of buried runs. A run that did not end at ?4 has been opened again since it was looked at.
UPDATE runs
SET namespace = ?2, id = NULL, input = 'null', output = NULL, failure = NULL, parent = NULL, parent_seq = NULL,
    schedule = NULL, options = NULL, fingerprint = NULL
WHERE namespace = ?1 AND key = ?3 AND status IN ('success', 'failed', 'cancelled') AND finished_at = ?4
    AND NOT EXISTS (SELECT 1 FROM runs AS parent WHERE parent.namespace = ?1 AND parent.key = runs.parent)
RETURNING key;

-- name: delete_tags
DELETE FROM run_tags WHERE namespace = ?1 AND tag = ?2 AND run = ?3;

-- name: page_of_buried
SELECT key FROM runs WHERE namespace = ?1 AND key > x'00' ORDER BY key LIMIT ?2;

-- name: children_to_bury
-- Ended children of a buried run that go with it. Those that are buried have no parent any more.
SELECT namespace, key, finished_at FROM runs INDEXED BY runs_by_parent
WHERE parent = ?2 AND depth > 0 AND status IN ('success', 'failed', 'cancelled')
LIMIT ?1;

-- name: buried_sizes
-- How many rows a run has, and how many bytes they have. Of each table ?1 rows at most are looked at.
SELECT ?2, sum(rows), coalesce(sum(bytes), 0) FROM (
    SELECT count(*) AS rows, sum(size) AS bytes
    FROM (SELECT octet_length(step) AS size FROM journal WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size)
    FROM (SELECT octet_length(input) + coalesce(octet_length(output), 0) + coalesce(octet_length(failure), 0) AS size
          FROM tasks WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size)
    FROM (SELECT coalesce(octet_length(failure), 0) AS size FROM attempts WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size) FROM (SELECT octet_length(payload) AS size FROM messages WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size) FROM (SELECT octet_length(details) AS size FROM questions WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size) FROM (SELECT octet_length(lines) AS size FROM logs WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size) FROM (SELECT octet_length(value) AS size FROM state WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size) FROM (SELECT octet_length(fields) AS size FROM shared_inputs WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size) FROM (SELECT octet_length(items) AS size FROM stream_items WHERE run = ?2 LIMIT ?1)
    UNION ALL
    SELECT count(*), sum(size)
    FROM (SELECT octet_length(input) + coalesce(octet_length(state), 0) AS size FROM chapters WHERE run = ?2 LIMIT ?1)
);

-- name: lock_buried
-- On Postgres, without those that another process is deleting.
SELECT key FROM runs WHERE namespace = ?1 AND key = ?2;

-- name: delete_buried
DELETE FROM runs WHERE namespace = ?1 AND key = ?2;

-- All rows of runs that have few.

-- name: clear_journal
DELETE FROM journal WHERE run = ?1;

-- name: clear_tasks
DELETE FROM tasks WHERE run = ?1;

-- name: clear_attempts
DELETE FROM attempts WHERE run = ?1;

-- name: clear_messages
DELETE FROM messages WHERE run = ?1;

-- name: clear_questions
DELETE FROM questions WHERE run = ?1;

-- name: clear_logs
DELETE FROM logs WHERE run = ?1;

-- name: clear_shared_inputs
DELETE FROM shared_inputs WHERE run = ?1;

-- name: clear_stream_items
DELETE FROM stream_items WHERE run = ?1;

-- name: clear_chapters
DELETE FROM chapters WHERE run = ?1;

-- The first rows of a run that has many: up to ?2 rows, and no more after those that come to ?3 bytes.

-- name: trim_journal
DELETE FROM journal WHERE run = ?1 AND position IN (
    SELECT position
    FROM (SELECT position, sum(size) OVER (ORDER BY position) - size AS before
          FROM (SELECT position, octet_length(step) AS size FROM journal WHERE run = ?1 ORDER BY position LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_tasks
DELETE FROM tasks WHERE run = ?1 AND seq IN (
    SELECT seq
    FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before
          FROM (SELECT seq, octet_length(input) + coalesce(octet_length(output), 0) + coalesce(octet_length(failure), 0) AS size
                FROM tasks WHERE run = ?1 ORDER BY seq LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_attempts
DELETE FROM attempts WHERE run = ?1 AND (seq, attempt) IN (
    SELECT seq, attempt
    FROM (SELECT seq, attempt, sum(size) OVER (ORDER BY seq, attempt) - size AS before
          FROM (SELECT seq, attempt, coalesce(octet_length(failure), 0) AS size
                FROM attempts WHERE run = ?1 ORDER BY seq, attempt LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_messages
DELETE FROM messages WHERE id IN (
    SELECT id
    FROM (SELECT id, sum(size) OVER (ORDER BY id) - size AS before
          FROM (SELECT id, octet_length(payload) AS size FROM messages WHERE run = ?1 ORDER BY id LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_questions
DELETE FROM questions WHERE run = ?1 AND number IN (
    SELECT number
    FROM (SELECT number, sum(size) OVER (ORDER BY number) - size AS before
          FROM (SELECT number, octet_length(details) AS size FROM questions WHERE run = ?1 ORDER BY number LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_logs
DELETE FROM logs WHERE number IN (
    SELECT number
    FROM (SELECT number, sum(size) OVER (ORDER BY number) - size AS before
          FROM (SELECT number, octet_length(lines) AS size FROM logs WHERE run = ?1 ORDER BY number LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_state
DELETE FROM state WHERE run = ?1 AND key IN (
    SELECT key
    FROM (SELECT key, sum(size) OVER (ORDER BY key) - size AS before
          FROM (SELECT key, octet_length(value) AS size FROM state WHERE run = ?1 ORDER BY key LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_shared_inputs
DELETE FROM shared_inputs WHERE run = ?1 AND seq IN (
    SELECT seq
    FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before
          FROM (SELECT seq, octet_length(fields) AS size FROM shared_inputs WHERE run = ?1 ORDER BY seq LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_stream_items
DELETE FROM stream_items WHERE run = ?1 AND rowid IN (
    SELECT rowid
    FROM (SELECT rowid, sum(size) OVER (ORDER BY rowid) - size AS before
          FROM (SELECT rowid, octet_length(items) AS size FROM stream_items
                WHERE run = ?1 ORDER BY name, next_offset LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;

-- name: trim_chapters
DELETE FROM chapters WHERE run = ?1 AND number IN (
    SELECT number
    FROM (SELECT number, sum(size) OVER (ORDER BY number) - size AS before
          FROM (SELECT number, octet_length(input) + coalesce(octet_length(state), 0) AS size
                FROM chapters WHERE run = ?1 ORDER BY number LIMIT ?2))
    WHERE before < ?3
)
RETURNING 1;
