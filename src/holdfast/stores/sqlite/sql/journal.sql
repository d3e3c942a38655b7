-- name: insert_steps
INSERT INTO journal (run, position, step) VALUES (?1, ?2, ?3);

-- name: steps_of
-- From the first step of its chapter on.
SELECT run, position, step FROM journal WHERE run = ?1 AND position >= ?2 ORDER BY position;

-- name: history_sizes
-- How many rows are read of a run, about: numbers of steps and tasks have no gaps, so the last one says how many.
-- And how many bytes, if these are no more than ?1 rows. Of its last chapter only, which begins with step ?3,
-- task ?4 and child ?5, and has read the messages from ?6 on.
SELECT run, size, CASE WHEN size > ?1 THEN 0 ELSE
    coalesce((
        SELECT sum(coalesce(octet_length(output), 0) + iif(finished_at IS NULL, octet_length(input), 0))
        FROM tasks WHERE tasks.run = found.run AND seq >= ?4
    ), 0)
    + coalesce((
        SELECT sum(octet_length(payload)) FROM messages
        WHERE messages.run = found.run AND (taken >= ?6 OR (taken IS NULL AND kind = 'child'))
    ), 0)
    END
FROM (
    SELECT ?2 AS run,
        coalesce((SELECT max(position) + 1 FROM journal WHERE run = ?2), 0) - ?3
        + max(coalesce((SELECT max(seq) + 1 FROM tasks WHERE run = ?2), 0), ?4) - ?4
        + (SELECT count(*) FROM messages WHERE run = ?2 AND (taken >= ?6 OR (taken IS NULL AND kind = 'child')))
        + (SELECT count(*) FROM runs WHERE parent = ?2 AND parent_seq >= ?5) AS size
) AS found;

-- name: page_of_steps
SELECT position, step FROM journal WHERE run = ?1 AND position >= ?2 ORDER BY position LIMIT ?3;

-- name: set_state
INSERT INTO state (run, key, value) VALUES (?1, ?2, CAST(?3 AS TEXT))
ON CONFLICT (run, key) DO UPDATE SET value = excluded.value;

-- name: delete_state
DELETE FROM state WHERE run = ?1 AND key = ?2;

-- name: clear_state
DELETE FROM state WHERE run = ?1;

-- name: read_state
SELECT state.key, CAST(value AS BLOB)
FROM runs JOIN state ON state.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2
ORDER BY state.key;

-- name: keep_first_chapters
-- The first chapter has a row only if there is a second.
INSERT INTO chapters (run, number, first_position, first_task, first_timer, first_child, input, state, began_at)
SELECT key, 0, 0, 0, 0, 0, input, NULL, coalesce(started_at, created_at) FROM runs
WHERE namespace = ?1 AND key = ?2 AND chapter = 0;

-- name: insert_chapters
INSERT INTO chapters
    (run, number, first_position, first_task, first_timer, first_child, input, state, began_at, questions)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, CAST(?7 AS TEXT), CAST(?8 AS TEXT), ?9, CAST(?10 AS TEXT));

-- name: begin_chapters
UPDATE runs SET chapter = ?3, input = CAST(?4 AS TEXT) WHERE namespace = ?1 AND key = ?2;

-- name: chapter_starts
SELECT run, number, first_position, first_task, first_timer, first_child, CAST(state AS BLOB), CAST(questions AS BLOB)
FROM chapters
WHERE run = ?1 AND number = ?2;

-- name: list_chapters
-- The last column is where the next chapter begins. NULL: there is none.
SELECT number, CAST(chapters.input AS BLOB), began_at, first_position,
    (SELECT later.first_position FROM chapters AS later
     WHERE later.run = chapters.run AND later.number = chapters.number + 1)
FROM runs JOIN chapters ON chapters.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2 AND number >= ?3
ORDER BY number LIMIT ?4;

-- name: count_steps
SELECT coalesce(max(position) + 1, 0) FROM journal WHERE run = ?1;

-- name: steps_up_to
-- The last ones come first.
SELECT position, step FROM journal WHERE run = ?1 AND position BETWEEN ?2 AND ?3 ORDER BY position DESC LIMIT ?4;

-- name: chapter_of_step
-- Where the chapter of a step begins and with which state, and the same of the next chapter. No row: the run has
-- only one.
SELECT chapters.first_position, CAST(chapters.state AS BLOB), later.first_position, CAST(later.state AS BLOB)
FROM chapters LEFT JOIN chapters AS later ON later.run = chapters.run AND later.number = chapters.number + 1
WHERE chapters.run = ?1 AND chapters.first_position <= ?2
ORDER BY chapters.number DESC LIMIT 1;
