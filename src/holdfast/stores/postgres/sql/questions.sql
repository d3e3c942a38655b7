-- name: insert_questions
-- A chapter that takes up a question of the one before asks for it again, maybe in other words.
INSERT INTO holdfast.questions (namespace, run, number, name, details, asked_at)
SELECT $1::text, * FROM unnest($2::uuid[], $3::int4[], $4::text[], $5::json[], $6::timestamptz[])
ON CONFLICT (run, number) DO UPDATE SET details = excluded.details;

-- name: close_questions
-- A question that was answered is closed already.
UPDATE holdfast.questions
SET closed_at = coalesce(questions.closed_at, closed.at), message = coalesce(closed.message, questions.message),
    is_answered = greatest(is_answered, (closed.message IS NOT NULL)::int)
FROM unnest($1::uuid[], $2::int4[], $3::int8[], $4::timestamptz[]) AS closed (run, number, message, at)
WHERE questions.run = closed.run AND questions.number = closed.number;

-- name: close_questions_of
UPDATE holdfast.questions SET closed_at = ended.at
FROM unnest($1::uuid[], $2::timestamptz[]) AS ended (run, at)
WHERE questions.run = ended.run AND closed_at IS NULL;

-- name: answer_questions
UPDATE holdfast.questions SET closed_at = $1::timestamptz, is_answered = 1
FROM unnest($2::uuid[], $3::int4[]) AS answered (run, number)
WHERE questions.run = answered.run AND questions.number = answered.number;

-- name: reopen_questions
-- Those that have an answer stay closed: the run reads it again.
UPDATE holdfast.questions SET closed_at = NULL
FROM unnest($1::uuid[], $2::int4[]) AS opened (run, number)
WHERE questions.run = opened.run AND questions.number = opened.number AND is_answered = 0;

-- name: open_questions_named
-- The oldest ones of each run and name, as many as are asked for.
SELECT found.run, found.name, found.number, found.details
FROM unnest($1::uuid[], $2::text[], $3::int4[]) AS wanted (run, name, most)
CROSS JOIN LATERAL (
    SELECT run, name, number, details FROM holdfast.questions
    WHERE questions.run = wanted.run AND questions.name = wanted.name AND closed_at IS NULL
    ORDER BY number LIMIT wanted.most
) AS found;

-- name: questions_numbered
SELECT questions.run, questions.number, name, details, closed_at, is_answered
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, number)
JOIN holdfast.questions ON questions.run = wanted.run AND questions.number = wanted.number;

-- name: last_questions_named
SELECT found.run, found.name, found.number, found.is_answered, found.details
FROM unnest($1::uuid[], $2::text[]) AS wanted (run, name)
CROSS JOIN LATERAL (
    SELECT run, name, number, is_answered, details FROM holdfast.questions
    WHERE questions.run = wanted.run AND questions.name = wanted.name
    ORDER BY number DESC LIMIT 1
) AS found;

-- name: answers_ahead_of
-- Answers that came before the run asked, and whether the run has yet to read them.
SELECT messages.run, messages.name, taken IS NULL
FROM unnest($1::uuid[], $2::text[]) AS wanted (run, name)
JOIN holdfast.messages ON messages.run = wanted.run AND messages.name = wanted.name
WHERE kind IN ('resolved', 'rejected') AND question IS NULL
    AND NOT EXISTS (SELECT 1 FROM holdfast.questions WHERE questions.message = messages.id);

-- name: some_open_questions
SELECT found.run, found.name
FROM unnest($2::uuid[]) AS wanted (run)
CROSS JOIN LATERAL (
    SELECT run, name FROM holdfast.questions
    WHERE questions.run = wanted.run AND closed_at IS NULL
    ORDER BY name LIMIT $1::int8
) AS found;

-- name: first_and_last_steps
SELECT wanted.run, found.step
FROM unnest($1::uuid[]) AS wanted (run)
CROSS JOIN LATERAL (
    SELECT step FROM holdfast.journal WHERE journal.run = wanted.run AND position = 0
    UNION ALL
    (SELECT step FROM holdfast.journal WHERE journal.run = wanted.run ORDER BY position DESC LIMIT 1)
) AS found;

-- name: list_questions
-- OFFSET 0 has each run looked up by its key, also while there are no statistics.
SELECT questions.run, found.id, found.workflow, number, name, details, asked_at
FROM holdfast.questions
CROSS JOIN LATERAL (
    SELECT id, workflow FROM holdfast.runs WHERE runs.namespace = $1::text AND runs.key = questions.run OFFSET 0
) AS found
WHERE questions.namespace = $1::text AND closed_at IS NULL
    AND (asked_at, questions.run, number) > ($2::timestamptz, $3::uuid, $4::int4)
    AND ($5::text IS NULL OR found.workflow = $5)
    AND ($6::text IS NULL OR (details::jsonb -> 'by') IS NULL OR (details::jsonb -> 'by') @> to_jsonb($6))
ORDER BY asked_at, questions.run, number
LIMIT $7::int8;

-- name: list_questions_of
-- As list_questions, of one run.
SELECT questions.run, runs.id, runs.workflow, number, name, details, asked_at
FROM holdfast.runs JOIN holdfast.questions ON questions.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND number > $3::int4 AND closed_at IS NULL
    AND ($4::text IS NULL OR (details::jsonb -> 'by') IS NULL OR (details::jsonb -> 'by') @> to_jsonb($4))
ORDER BY number
LIMIT $5::int8;

-- name: count_questions
-- The workflows of the $2 oldest open questions that were asked since $3. Without their facts, which may be large.
SELECT found.workflow, count(*)
FROM (SELECT run FROM holdfast.questions
      WHERE namespace = $1::text AND closed_at IS NULL AND asked_at >= $3::timestamptz
      ORDER BY asked_at, run, number LIMIT $2::int8) AS asked
CROSS JOIN LATERAL (
    SELECT workflow FROM holdfast.runs WHERE runs.namespace = $1::text AND runs.key = asked.run OFFSET 0
) AS found
GROUP BY found.workflow
ORDER BY found.workflow COLLATE "C";

-- name: closed_questions
-- The last $2 questions that were answered or given up until $3, the newest first, each with its answer. An answer
-- that came before the run asked is named by the question; another names its question. NULL for a large answer. OFFSET 0
-- has each row looked up by its key.
SELECT questions.run, found.id, found.workflow, questions.number, questions.name, details, closed_at,
    answer.kind, answer.payload, answer.posted_by, answer.posted_at, answer.comment
FROM holdfast.questions
CROSS JOIN LATERAL (
    SELECT id, workflow FROM holdfast.runs WHERE runs.namespace = $1::text AND runs.key = questions.run OFFSET 0
) AS found
LEFT JOIN LATERAL (
    SELECT kind, CASE WHEN pg_column_size(payload) <= 2000 THEN payload END AS payload, posted_by, posted_at, comment FROM holdfast.messages
    WHERE messages.id = coalesce(questions.message, (
        SELECT max(answers.id) FROM holdfast.messages AS answers
        WHERE answers.run = questions.run AND answers.question = questions.number))
    OFFSET 0
) AS answer ON true
WHERE questions.namespace = $1::text AND closed_at <= $3::timestamptz
ORDER BY questions.namespace DESC, closed_at DESC, questions.run DESC, questions.number DESC
LIMIT $2::int8;
