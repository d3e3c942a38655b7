-- Deleting runs. A run is first buried: its row moves to a namespace that no client and no node has. From then on nobody
-- finds the run, so nobody misses rows of it, and nobody can open it again. Then its other rows are deleted, as many as
-- fit into one transaction, and its own row last. So whoever deletes next finds what a crash has left.

-- name: page_of_ended_keys
-- The oldest runs of these workflows that ended with these statuses, with keys between `after` and `until`.
SELECT wanted.workflow, wanted.status, found.key, found.finished_at
FROM unnest($3::text[], $4::text[], $5::uuid[], $6::uuid[]) AS wanted (workflow, status, after, until)
CROSS JOIN LATERAL (
    SELECT key, finished_at FROM holdfast.runs
    WHERE namespace = $1::text
        AND runs.workflow COLLATE "C" = wanted.workflow AND runs.status COLLATE "C" = wanted.status
        AND finished_at IS NOT NULL AND key > wanted.after AND key < wanted.until
    ORDER BY key
    LIMIT $2::int8
) AS found;

-- name: families_of
-- When these runs ended, how many runs each has in its family, with itself, and one of them that has not ended. Children
-- that were started detached (depth 0) are no part of it, nor are their children. A run whose parent still has a
-- row is left out: replay of the parent reads the row of its child.
-- Children are looked up in a subquery, because a join that is planned for few runs reads the whole table.
WITH RECURSIVE family (root, ended_at, key, is_open) AS (
    SELECT runs.key, finished_at, runs.key, false
    FROM holdfast.runs
    WHERE namespace = $1::text AND key = ANY ($2::uuid[]) AND status IN ('success', 'failed', 'cancelled')
        AND (parent IS NULL OR NOT (SELECT EXISTS (
            SELECT 1 FROM holdfast.runs AS parent WHERE parent.namespace = $1 AND parent.key = runs.parent)))
    UNION ALL
    SELECT family.root, family.ended_at, child.key, child.status NOT IN ('success', 'failed', 'cancelled')
    FROM family
    CROSS JOIN LATERAL (
        SELECT key, status FROM holdfast.runs WHERE runs.parent = family.key AND depth > 0 OFFSET 0
    ) AS child
)
SELECT root, ended_at, count(*), (array_agg(key) FILTER (WHERE is_open))[1] FROM family GROUP BY root, ended_at;

-- name: lock_to_bury
-- With the size of the payloads in the row. Locked in the order of their keys, as everywhere.
SELECT key, options,
    pg_column_size(input) + coalesce(pg_column_size(output), 0) + coalesce(pg_column_size(failure), 0),
    id, workflow
FROM holdfast.runs WHERE namespace = $1::text AND key = ANY ($2::uuid[])
ORDER BY key
FOR UPDATE;

-- name: bury_runs
-- $2 is the namespace of buried runs. A run that did not end at the given instant has been opened again since it was
-- looked at.
UPDATE holdfast.runs
SET namespace = $2::text, id = NULL, input = 'null', output = NULL, failure = NULL, parent = NULL, parent_seq = NULL,
    schedule = NULL, options = NULL, fingerprint = NULL
WHERE namespace = $1::text AND key = ANY ($3::uuid[]) AND status IN ('success', 'failed', 'cancelled')
    AND ((key, finished_at) IN (SELECT * FROM unnest($3, $4::timestamptz[]))) IS TRUE
    AND (parent IS NULL OR NOT (SELECT EXISTS (
        SELECT 1 FROM holdfast.runs AS parent WHERE parent.namespace = $1 AND parent.key = runs.parent)))
RETURNING key;

-- name: delete_tags
DELETE FROM holdfast.run_tags
WHERE namespace = $1::text AND tag = ANY ($2::text[])
    AND ((tag, run) IN (SELECT * FROM unnest($2, $3::uuid[]))) IS TRUE AND run = ANY ($3);

-- name: page_of_buried
SELECT key FROM holdfast.runs WHERE namespace = $1::text AND key > '00000000-0000-0000-0000-000000000000'
ORDER BY key
LIMIT $2::int8;

-- name: children_to_bury
-- Ended children of a buried run that go with it. Those that are buried have no parent any more.
SELECT namespace, key, finished_at FROM holdfast.runs
WHERE parent = ANY ($2::uuid[]) AND depth > 0 AND status IN ('success', 'failed', 'cancelled')
LIMIT $1::int8;

-- name: buried_sizes
-- How many rows a run has, and how many bytes they have, as they are stored. Of each table $1 rows at most are looked at.
SELECT wanted.run, sizes.rows, sizes.bytes
FROM unnest($2::uuid[]) AS wanted (run)
CROSS JOIN LATERAL (
    SELECT sum(rows)::int8 AS rows, coalesce(sum(bytes), 0)::int8 AS bytes FROM (
        SELECT count(*) AS rows, sum(size) AS bytes
        FROM (SELECT pg_column_size(step) AS size FROM holdfast.journal WHERE journal.run = wanted.run LIMIT $1::int8) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT pg_column_size(input) + coalesce(pg_column_size(output), 0) + coalesce(pg_column_size(failure), 0) AS size
              FROM holdfast.tasks WHERE tasks.run = wanted.run LIMIT $1) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT coalesce(pg_column_size(failure), 0) AS size
              FROM holdfast.attempts WHERE attempts.run = wanted.run LIMIT $1) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT pg_column_size(payload) AS size FROM holdfast.messages WHERE messages.run = wanted.run LIMIT $1) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT pg_column_size(details) AS size
              FROM holdfast.questions WHERE questions.run = wanted.run LIMIT $1) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT pg_column_size(lines) AS size FROM holdfast.logs WHERE logs.run = wanted.run LIMIT $1) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT pg_column_size(value) AS size FROM holdfast.state WHERE state.run = wanted.run LIMIT $1) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT pg_column_size(fields) AS size
              FROM holdfast.shared_inputs WHERE shared_inputs.run = wanted.run LIMIT $1) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT pg_column_size(items) AS size
              FROM holdfast.stream_items WHERE stream_items.run = wanted.run LIMIT $1) AS t
        UNION ALL
        SELECT count(*), sum(size)
        FROM (SELECT pg_column_size(input) + coalesce(pg_column_size(state), 0) AS size
              FROM holdfast.chapters WHERE chapters.run = wanted.run LIMIT $1) AS t
    ) AS tables
) AS sizes;

-- name: lock_buried
-- Without those that another process is deleting.
SELECT key FROM holdfast.runs WHERE namespace = $1::text AND key = ANY ($2::uuid[])
ORDER BY key
FOR UPDATE SKIP LOCKED;

-- name: delete_buried
DELETE FROM holdfast.runs WHERE namespace = $1::text AND key = ANY ($2::uuid[]);

-- All rows of runs that have few.

-- name: clear_journal
DELETE FROM holdfast.journal WHERE run = ANY ($1::uuid[]);

-- name: clear_tasks
DELETE FROM holdfast.tasks WHERE run = ANY ($1::uuid[]);

-- name: clear_attempts
DELETE FROM holdfast.attempts WHERE run = ANY ($1::uuid[]);

-- name: clear_messages
DELETE FROM holdfast.messages WHERE run = ANY ($1::uuid[]);

-- name: clear_questions
DELETE FROM holdfast.questions WHERE run = ANY ($1::uuid[]);

-- name: clear_logs
DELETE FROM holdfast.logs WHERE run = ANY ($1::uuid[]);

-- name: clear_shared_inputs
DELETE FROM holdfast.shared_inputs WHERE run = ANY ($1::uuid[]);

-- name: clear_stream_items
DELETE FROM holdfast.stream_items WHERE run = ANY ($1::uuid[]);

-- name: clear_chapters
DELETE FROM holdfast.chapters WHERE run = ANY ($1::uuid[]);

-- The first rows of a run that has many: up to $2 rows, and no more after those that come to $3 bytes. An array of their
-- keys, because a join that is planned for a small table reads the whole table.

-- name: trim_journal
DELETE FROM holdfast.journal WHERE run = $1::uuid AND position = ANY (ARRAY(
    SELECT position
    FROM (SELECT position, sum(size) OVER (ORDER BY position) - size AS before
          FROM (SELECT position, pg_column_size(step) AS size FROM holdfast.journal
                WHERE run = $1 ORDER BY position LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
))
RETURNING 1;

-- name: trim_tasks
DELETE FROM holdfast.tasks WHERE run = $1::uuid AND seq = ANY (ARRAY(
    SELECT seq
    FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before
          FROM (SELECT seq, pg_column_size(input) + coalesce(pg_column_size(output), 0)
                    + coalesce(pg_column_size(failure), 0) AS size
                FROM holdfast.tasks WHERE run = $1 ORDER BY seq LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
))
RETURNING 1;

-- name: trim_attempts
-- A task may have any number of attempts, so the last one that goes is looked for.
DELETE FROM holdfast.attempts WHERE run = $1::uuid AND (seq, attempt) <= (
    SELECT seq, attempt
    FROM (SELECT seq, attempt, sum(size) OVER (ORDER BY seq, attempt) - size AS before
          FROM (SELECT seq, attempt, coalesce(pg_column_size(failure), 0) AS size FROM holdfast.attempts
                WHERE run = $1 ORDER BY seq, attempt LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
    ORDER BY seq DESC, attempt DESC
    LIMIT 1
)
RETURNING 1;

-- name: trim_messages
DELETE FROM holdfast.messages WHERE id = ANY (ARRAY(
    SELECT id
    FROM (SELECT id, sum(size) OVER (ORDER BY id) - size AS before
          FROM (SELECT id, pg_column_size(payload) AS size FROM holdfast.messages
                WHERE run = $1::uuid ORDER BY id LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
))
RETURNING 1;

-- name: trim_questions
DELETE FROM holdfast.questions WHERE run = $1::uuid AND number = ANY (ARRAY(
    SELECT number
    FROM (SELECT number, sum(size) OVER (ORDER BY number) - size AS before
          FROM (SELECT number, pg_column_size(details) AS size FROM holdfast.questions
                WHERE run = $1 ORDER BY number LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
))
RETURNING 1;

-- name: trim_logs
DELETE FROM holdfast.logs WHERE number = ANY (ARRAY(
    SELECT number
    FROM (SELECT number, sum(size) OVER (ORDER BY number) - size AS before
          FROM (SELECT number, pg_column_size(lines) AS size FROM holdfast.logs
                WHERE run = $1::uuid ORDER BY number LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
))
RETURNING 1;

-- name: trim_state
DELETE FROM holdfast.state WHERE run = $1::uuid AND key = ANY (ARRAY(
    SELECT key
    FROM (SELECT key, sum(size) OVER (ORDER BY key) - size AS before
          FROM (SELECT key, pg_column_size(value) AS size FROM holdfast.state
                WHERE run = $1 ORDER BY key LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
))
RETURNING 1;

-- name: trim_shared_inputs
DELETE FROM holdfast.shared_inputs WHERE run = $1::uuid AND seq = ANY (ARRAY(
    SELECT seq
    FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before
          FROM (SELECT seq, pg_column_size(fields) AS size FROM holdfast.shared_inputs
                WHERE run = $1 ORDER BY seq LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
))
RETURNING 1;

-- name: trim_stream_items
DELETE FROM holdfast.stream_items AS items
USING (
    SELECT name, next_offset
    FROM (SELECT name, next_offset, sum(size) OVER (ORDER BY name, next_offset) - size AS before
          FROM (SELECT name, next_offset, pg_column_size(items) AS size FROM holdfast.stream_items
                WHERE run = $1::uuid ORDER BY name, next_offset LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
) AS gone
WHERE items.run = $1 AND items.name = gone.name AND items.next_offset = gone.next_offset
RETURNING 1;

-- name: trim_chapters
DELETE FROM holdfast.chapters WHERE run = $1::uuid AND number = ANY (ARRAY(
    SELECT number
    FROM (SELECT number, sum(size) OVER (ORDER BY number) - size AS before
          FROM (SELECT number, pg_column_size(input) + coalesce(pg_column_size(state), 0) AS size
                FROM holdfast.chapters WHERE run = $1 ORDER BY number LIMIT $2::int8) AS first) AS sized
    WHERE before < $3::int8
))
RETURNING 1;
