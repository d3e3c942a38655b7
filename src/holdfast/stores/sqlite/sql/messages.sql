-- name: insert_messages
INSERT INTO messages (posted_at, run, kind, name, payload, posted_by, uid, comment, question)
VALUES (?1, ?2, ?3, ?4, CAST(?5 AS TEXT), ?6, ?7, ?8, ?9);

-- name: sent_messages
-- Messages that were sent before, by the ids that their senders gave them.
SELECT run, uid, kind, name, CAST(payload AS BLOB), question FROM messages WHERE run = ?1 AND uid = ?2;

-- name: answer_updates
-- The first answer stands, also if the run was retried and has handled the update again.
UPDATE messages SET answer = CAST(?3 AS TEXT) WHERE id = ?2 AND run = ?1 AND answer IS NULL;

-- name: answers_of
SELECT messages.run, uid, CAST(answer AS BLOB), runs.status
FROM messages JOIN runs ON runs.key = messages.run
WHERE runs.namespace = ?1 AND messages.run = ?2 AND uid = ?3;

-- name: record_acts
-- Acts that need no node.
INSERT INTO messages (posted_at, taken, run, kind, name, payload, posted_by)
VALUES (?1, ?2, ?3, ?4, ?5, CAST(?6 AS TEXT), ?7);

-- name: list_messages
-- ?5: 1 for what people have done only, whose payloads are small.
SELECT messages.id, kind, name, CAST(payload AS BLOB), taken, posted_by, posted_at, CAST(answer AS BLOB), comment,
    question
FROM runs JOIN messages ON messages.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2 AND messages.id > ?3
    AND (?5 = 0 OR kind NOT IN ('signal', 'update', 'child', 'task'))
ORDER BY messages.id LIMIT ?4;

-- name: take_messages
UPDATE messages SET taken = ?3 WHERE id = ?2 AND run = ?1;

-- name: give_back_messages
UPDATE messages SET taken = NULL WHERE id = ?2 AND run = ?1;

-- name: messages_of
-- Without those that earlier chapters have read.
SELECT id, run, kind, name, CAST(payload AS BLOB), taken, question, posted_by, comment FROM messages
WHERE run = ?1 AND (taken IS NULL OR taken >= ?2)
ORDER BY id;

-- name: heard_messages_of
-- What replay needs of the messages. Those that the run has not read come as mail. Only news of children are
-- here, too, because the rows of the children are. Without those that earlier chapters have read.
SELECT id, run, kind, name, CAST(payload AS BLOB), taken, question, posted_by, comment FROM messages
WHERE run = ?1 AND (taken >= ?2 OR (taken IS NULL AND kind = 'child'))
ORDER BY id;

-- name: page_of_messages
-- As heard_messages_of.
SELECT id, run, kind, name, CAST(payload AS BLOB), taken, question, posted_by, comment FROM messages
WHERE run = ?1 AND id > ?2 AND (taken >= ?4 OR (taken IS NULL AND kind = 'child'))
ORDER BY id LIMIT ?3;

-- name: unread_messages_of
-- NULL for a payload of more than ?2 bytes: payloads_of reads as many of these as there is room for. The
-- column after `taken` is the size. To look at `taken` of a large message, SQLite has to walk through all of its pages. So
-- those that the node knows (up to ?4) are left out.
SELECT id, run, kind, name, CASE WHEN octet_length(payload) <= ?2 THEN CAST(payload AS BLOB) END, taken,
    octet_length(payload), question, posted_by, comment
FROM messages WHERE run = ?3 AND id > ?4 AND taken IS NULL
ORDER BY id LIMIT ?1;

-- name: payloads_of
SELECT id, CAST(payload AS BLOB) FROM messages WHERE id = ?1;
