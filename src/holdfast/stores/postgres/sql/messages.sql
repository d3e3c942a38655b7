-- name: insert_messages
-- Every sender has locked the row of the run. So the messages of a run are numbered in the order in which
-- they become visible.
INSERT INTO holdfast.messages (run, kind, name, payload)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::json[]);

-- name: settled_promises
-- The settled promises, as pairs of run and name. The result may contain pairs that were not asked for.
SELECT run, name FROM holdfast.messages
WHERE run = ANY ($1::uuid[]) AND name = ANY ($2::text[]) AND kind IN ('resolved', 'rejected');

-- name: take_messages
UPDATE holdfast.messages SET taken = read.position
FROM unnest($1::uuid[], $2::int8[], $3::int4[]) AS read (run, id, position)
WHERE messages.id = read.id AND messages.run = read.run;

-- name: give_back_messages
UPDATE holdfast.messages SET taken = NULL
FROM unnest($1::uuid[], $2::int8[]) AS unread (run, id)
WHERE messages.id = unread.id AND messages.run = unread.run;

-- name: messages_of
SELECT id, run, kind, name, payload, taken FROM holdfast.messages WHERE run = ANY ($1::uuid[]) ORDER BY id;

-- name: page_of_messages
SELECT id, run, kind, name, payload, taken FROM holdfast.messages WHERE run = $1::uuid AND id > $2::int8
ORDER BY id
LIMIT $3::int4;

-- name: unread_messages_of
SELECT id, run, kind, name, payload, taken FROM holdfast.messages
WHERE run = ANY ($1::uuid[]) AND taken IS NULL
ORDER BY id;
