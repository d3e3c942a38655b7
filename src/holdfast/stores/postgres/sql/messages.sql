-- name: insert_messages
-- Every sender has locked the row of the run. So the messages of a run are numbered in the order in which
-- they become visible.
INSERT INTO holdfast.messages (posted_at, run, kind, name, payload, posted_by, uid, comment, question)
SELECT $1::timestamptz, *
FROM unnest($2::uuid[], $3::text[], $4::text[], $5::json[], $6::text[], $7::text[], $8::text[], $9::int4[]);

-- name: sent_messages
-- Messages that were sent before, by the ids that their senders gave them. The result may contain some that were not
-- asked for.
SELECT run, uid, kind, name, payload, question FROM holdfast.messages
WHERE run = ANY ($1::uuid[]) AND uid = ANY ($2::text[]);

-- name: answer_updates
-- The first answer stands, also if the run was retried and has handled the update again.
UPDATE holdfast.messages SET answer = given.answer
FROM unnest($1::uuid[], $2::int8[], $3::json[]) AS given (run, id, answer)
WHERE messages.id = given.id AND messages.run = given.run AND messages.answer IS NULL;

-- name: answers_of
-- OFFSET 0 has each run looked up by its key, also while there are no statistics.
SELECT messages.run, messages.uid, messages.answer, found.status
FROM unnest($2::uuid[], $3::text[]) AS asked (run, uid)
JOIN holdfast.messages ON messages.run = asked.run AND messages.uid = asked.uid
CROSS JOIN LATERAL (
    SELECT status FROM holdfast.runs WHERE runs.namespace = $1::text AND runs.key = messages.run OFFSET 0
) AS found;

-- name: record_acts
-- Acts that need no node.
INSERT INTO holdfast.messages (posted_at, taken, run, kind, name, payload, posted_by)
SELECT $1::timestamptz, $2::int4, * FROM unnest($3::uuid[], $4::text[], $5::text[], $6::json[], $7::text[]);

-- name: list_messages
-- $5: 1 for what people have done only, whose payloads are small.
SELECT messages.id, kind, name, payload, taken, posted_by, posted_at, answer, comment, question
FROM holdfast.runs JOIN holdfast.messages ON messages.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid AND messages.id > $3::int8
    AND ($5::int4 = 0 OR kind NOT IN ('signal', 'update', 'child', 'task'))
ORDER BY messages.id LIMIT $4::int8;

-- name: take_messages
UPDATE holdfast.messages SET taken = read.position
FROM unnest($1::uuid[], $2::int8[], $3::int4[]) AS read (run, id, position)
WHERE messages.id = read.id AND messages.run = read.run;

-- name: give_back_messages
UPDATE holdfast.messages SET taken = NULL
FROM unnest($1::uuid[], $2::int8[]) AS unread (run, id)
WHERE messages.id = unread.id AND messages.run = unread.run;

-- name: messages_of
-- Without those that earlier chapters have read.
SELECT id, found.run, kind, name, payload, taken, question, posted_by, comment
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, since)
CROSS JOIN LATERAL (
    SELECT * FROM holdfast.messages
    WHERE messages.run = wanted.run AND (taken IS NULL OR taken >= wanted.since)
    OFFSET 0
) AS found
ORDER BY id;

-- name: heard_messages_of
-- What replay needs of the messages. Those that the run has not read come as mail. Only news of children are
-- here, too, because the rows of the children are. Without those that earlier chapters have read.
SELECT id, found.run, kind, name, payload, taken, question, posted_by, comment
FROM unnest($1::uuid[], $2::int4[]) AS wanted (run, since)
CROSS JOIN LATERAL (
    SELECT * FROM holdfast.messages
    WHERE messages.run = wanted.run AND (taken >= wanted.since OR (taken IS NULL AND kind = 'child'))
    OFFSET 0
) AS found
ORDER BY id;

-- name: page_of_messages
-- As heard_messages_of.
SELECT id, run, kind, name, payload, taken, question, posted_by, comment FROM holdfast.messages
WHERE run = $1::uuid AND id > $2::int8 AND (taken >= $4::int4 OR (taken IS NULL AND kind = 'child'))
ORDER BY id
LIMIT $3::int4;

-- name: unread_messages_of
-- NULL for a payload of more than $2 bytes: payloads_of reads as many of these as there is room for. The
-- column after `taken` is the size as it is stored, which may be compressed.
SELECT unread.id, unread.run, unread.kind, unread.name,
    CASE WHEN pg_column_size(unread.payload) <= $2::int4 THEN unread.payload END, unread.taken,
    pg_column_size(unread.payload), unread.question, unread.posted_by, unread.comment
FROM unnest($3::uuid[], $4::int8[]) AS reader (run, known)
CROSS JOIN LATERAL (
    SELECT * FROM holdfast.messages
    WHERE messages.run = reader.run AND messages.id > reader.known AND taken IS NULL
    ORDER BY messages.id
    LIMIT $1::int8
) AS unread;

-- name: payloads_of
SELECT id, payload FROM holdfast.messages WHERE id = ANY ($1::int8[]);
