-- name: insert_steps
INSERT INTO holdfast.journal (run, position, step)
SELECT * FROM unnest($1::uuid[], $2::int4[], $3::bytea[]);

-- name: steps_of
-- From the first step of its chapter on.
SELECT found.run, found.position, found.step FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, since)
CROSS JOIN LATERAL (
    SELECT * FROM holdfast.journal WHERE journal.run = wanted.run AND position >= wanted.since OFFSET 0
) AS found
ORDER BY found.run, found.position;

-- name: history_sizes
-- How many rows are read of a run, about: numbers of steps and tasks have no gaps, so the last one says how many.
-- And how many bytes, as they are stored, if these are no more than $1 rows. Of its last chapter only.
SELECT sized.run, sized.size, CASE WHEN sized.size > $1::int4 THEN 0 ELSE
    coalesce((
        SELECT sum(
            coalesce(pg_column_size(output), 0)
            + CASE WHEN finished_at IS NULL THEN pg_column_size(input) ELSE 0 END
        )
        FROM holdfast.tasks WHERE tasks.run = sized.run AND seq >= sized.first_task
    ), 0)
    + coalesce((
        SELECT sum(pg_column_size(payload)) FROM holdfast.messages
        WHERE messages.run = sized.run AND (taken >= sized.first_taken OR (taken IS NULL AND kind = 'child'))
    ), 0)
    END::int8
FROM (
    SELECT wanted.run, wanted.first_task, wanted.first_taken,
        coalesce((SELECT max(position) + 1 FROM holdfast.journal WHERE journal.run = wanted.run), 0)
        - wanted.first_position
        + greatest(
            coalesce((SELECT max(seq) + 1 FROM holdfast.tasks WHERE tasks.run = wanted.run), 0) - wanted.first_task, 0
        )
        + (
            SELECT count(*) FROM holdfast.messages
            WHERE messages.run = wanted.run AND (taken >= wanted.first_taken OR (taken IS NULL AND kind = 'child'))
        )::int4
        + (
            SELECT count(*) FROM holdfast.runs
            WHERE runs.parent = wanted.run AND runs.parent_seq >= wanted.first_child
        )::int4 AS size
    FROM unnest($2::uuid[], $3::int4[], $4::int4[], $5::int4[], $6::int4[])
        AS wanted (run, first_position, first_task, first_child, first_taken)
    OFFSET 0  -- so that the sizes are not computed twice
) AS sized;

-- name: page_of_steps
SELECT position, step FROM holdfast.journal WHERE run = $1::uuid AND position >= $2::int4
ORDER BY position
LIMIT $3::int4;

-- name: set_state
INSERT INTO holdfast.state (run, key, value)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::json[])
ON CONFLICT (run, key) DO UPDATE SET value = excluded.value;

-- name: delete_state
DELETE FROM holdfast.state USING unnest($1::uuid[], $2::text[]) AS gone (run, key)
WHERE state.run = gone.run AND state.key = gone.key;

-- name: clear_state
DELETE FROM holdfast.state WHERE run = ANY ($1::uuid[]);

-- name: read_state
SELECT state.key, value
FROM holdfast.runs JOIN holdfast.state ON state.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid
ORDER BY state.key;

-- name: keep_first_chapters
-- The first chapter has a row only if there is a second.
INSERT INTO holdfast.chapters
    (run, number, first_position, first_task, first_timer, first_child, input, state, began_at)
SELECT key, 0, 0, 0, 0, 0, input, NULL, coalesce(started_at, created_at) FROM holdfast.runs
WHERE namespace = $1::text AND key = ANY ($2::uuid[]) AND chapter = 0;

-- name: insert_chapters
INSERT INTO holdfast.chapters
    (run, number, first_position, first_task, first_timer, first_child, input, state, began_at, questions)
SELECT * FROM unnest($1::uuid[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::int4[], $7::json[], $8::json[],
                     $9::timestamptz[], $10::json[]);

-- name: begin_chapters
WITH begun AS MATERIALIZED (
    SELECT $1::text AS namespace, begun.*
    FROM unnest($2::uuid[], $3::int4[], $4::json[]) AS begun (run, chapter, input)
)
UPDATE holdfast.runs SET chapter = begun.chapter, input = begun.input
FROM begun
WHERE runs.namespace = begun.namespace AND key = begun.run;

-- name: chapter_starts
SELECT chapters.run, number, first_position, first_task, first_timer, first_child, state, questions
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, chapter)
JOIN holdfast.chapters ON chapters.run = wanted.run AND chapters.number = wanted.chapter;

-- name: list_chapters
-- The last column is where the next chapter begins. NULL: there is none.
SELECT number, chapters.input, began_at, first_position,
    (SELECT later.first_position FROM holdfast.chapters AS later
     WHERE later.run = chapters.run AND later.number = chapters.number + 1)
FROM holdfast.runs JOIN holdfast.chapters ON chapters.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND number >= $3::int4
ORDER BY number LIMIT $4::int4;

-- name: count_steps
SELECT coalesce(max(position) + 1, 0) FROM holdfast.journal WHERE run = $1::uuid;

-- name: steps_up_to
-- The last ones come first.
SELECT position, step FROM holdfast.journal WHERE run = $1::uuid AND position BETWEEN $2::int4 AND $3::int4
ORDER BY position DESC
LIMIT $4::int4;

-- name: chapter_of_step
-- Where the chapter of a step begins and with which state, and the same of the next chapter. No row: the run has
-- only one.
SELECT chapters.first_position, chapters.state, later.first_position, later.state
FROM holdfast.chapters
LEFT JOIN holdfast.chapters AS later ON later.run = chapters.run AND later.number = chapters.number + 1
WHERE chapters.run = $1::uuid AND chapters.first_position <= $2::int4
ORDER BY chapters.number DESC LIMIT 1;
