-- name: insert_questions
-- A chapter that takes up a question of the one before asks for it again, maybe in other words.
INSERT INTO questions (namespace, run, number, name, details, asked_at)
VALUES (?1, ?2, ?3, ?4, CAST(?5 AS TEXT), ?6)
ON CONFLICT (run, number) DO UPDATE SET details = excluded.details;

-- name: close_questions
-- A question that was answered is closed already.
UPDATE questions SET closed_at = coalesce(closed_at, ?4), message = coalesce(?3, message),
    is_answered = max(is_answered, ?3 IS NOT NULL)
WHERE run = ?1 AND number = ?2;

-- name: close_questions_of
UPDATE questions SET closed_at = ?2 WHERE run = ?1 AND closed_at IS NULL;

-- name: answer_questions
UPDATE questions SET closed_at = ?1, is_answered = 1 WHERE run = ?2 AND number = ?3;

-- name: reopen_questions
-- Those that have an answer stay closed: the run reads it again.
UPDATE questions SET closed_at = NULL WHERE run = ?1 AND number = ?2 AND is_answered = 0;

-- name: open_questions_named
-- The oldest ?3 of a run and a name.
SELECT run, name, number, CAST(details AS BLOB) FROM questions
WHERE run = ?1 AND name = ?2 AND closed_at IS NULL
ORDER BY number LIMIT ?3;

-- name: questions_numbered
SELECT run, number, name, CAST(details AS BLOB), closed_at, is_answered FROM questions
WHERE run = ?1 AND number = ?2;

-- name: last_questions_named
SELECT run, name, number, is_answered, CAST(details AS BLOB) FROM questions
WHERE run = ?1 AND name = ?2
ORDER BY number DESC LIMIT 1;

-- name: answers_ahead_of
-- Answers that came before the run asked, and whether the run has yet to read them.
SELECT run, name, taken IS NULL FROM messages
WHERE run = ?1 AND name = ?2 AND kind IN ('resolved', 'rejected') AND question IS NULL
    AND NOT EXISTS (SELECT 1 FROM questions WHERE questions.message = messages.id);

-- name: some_open_questions
SELECT run, name FROM questions WHERE run = ?2 AND closed_at IS NULL ORDER BY name LIMIT ?1;

-- name: first_and_last_steps
SELECT run, step FROM journal WHERE run = ?1 AND position = 0
UNION ALL
SELECT run, step FROM (SELECT run, step FROM journal WHERE run = ?1 ORDER BY position DESC LIMIT 1);

-- name: list_questions
SELECT questions.run, runs.id, runs.workflow, number, name, CAST(details AS BLOB), asked_at
FROM questions INDEXED BY questions_open
    CROSS JOIN runs ON runs.namespace = questions.namespace AND runs.key = questions.run
WHERE questions.namespace = ?1 AND closed_at IS NULL AND (asked_at, questions.run, number) > (?2, ?3, ?4)
    AND (?5 IS NULL OR runs.workflow = ?5)
    AND (?6 IS NULL OR json_extract(details, '$.by') IS NULL
         OR EXISTS (SELECT 1 FROM json_each(details, '$.by') WHERE json_each.value = ?6))
ORDER BY asked_at, questions.run, number LIMIT ?7;

-- name: list_questions_of
-- As list_questions, of one run.
SELECT questions.run, runs.id, runs.workflow, number, name, CAST(details AS BLOB), asked_at
FROM runs CROSS JOIN questions ON questions.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2 AND number > ?3 AND closed_at IS NULL
    AND (?4 IS NULL OR json_extract(details, '$.by') IS NULL
         OR EXISTS (SELECT 1 FROM json_each(details, '$.by') WHERE json_each.value = ?4))
ORDER BY number LIMIT ?5;

-- name: count_questions
-- The workflows of the ?2 oldest open questions that were asked since ?3. Without their facts, which may be large.
SELECT workflow, count(*)
FROM (SELECT run FROM questions INDEXED BY questions_open
      WHERE namespace = ?1 AND closed_at IS NULL AND asked_at >= ?3
      ORDER BY asked_at, run, number LIMIT ?2) AS asked
    CROSS JOIN runs ON runs.namespace = ?1 AND runs.key = asked.run
GROUP BY workflow
ORDER BY workflow;

-- name: closed_questions
-- The last ?2 questions that were answered or given up until ?3, the newest first, each with its answer. An answer
-- that came before the run asked is named by the question; another names its question. NULL for a large answer.
SELECT questions.run, runs.id, runs.workflow, questions.number, questions.name, CAST(details AS BLOB), closed_at,
    messages.kind, CASE WHEN octet_length(messages.payload) <= 2000 THEN CAST(messages.payload AS BLOB) END, posted_by, posted_at, comment
FROM questions INDEXED BY questions_closed
    CROSS JOIN runs ON runs.namespace = questions.namespace AND runs.key = questions.run
    LEFT JOIN messages ON messages.id = coalesce(questions.message, (
        SELECT max(answers.id) FROM messages AS answers INDEXED BY messages_answering
        WHERE answers.run = questions.run AND answers.question = questions.number))
WHERE questions.namespace = ?1 AND closed_at <= ?3
ORDER BY closed_at DESC, questions.run DESC, questions.number DESC LIMIT ?2;
