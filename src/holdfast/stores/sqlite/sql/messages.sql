-- name: insert_messages
INSERT INTO messages (run, kind, name, payload) VALUES (?1, ?2, ?3, CAST(?4 AS TEXT));

-- name: settled_promises
SELECT run, name FROM messages WHERE run = ?1 AND name = ?2 AND kind IN ('resolved', 'rejected');

-- name: take_messages
UPDATE messages SET taken = ?3 WHERE id = ?2 AND run = ?1;

-- name: give_back_messages
UPDATE messages SET taken = NULL WHERE id = ?2 AND run = ?1;

-- name: messages_of
SELECT id, run, kind, name, CAST(payload AS BLOB), taken FROM messages WHERE run = ?1 ORDER BY id;

-- name: page_of_messages
SELECT id, run, kind, name, CAST(payload AS BLOB), taken FROM messages WHERE run = ?1 AND id > ?2
ORDER BY id LIMIT ?3;

-- name: unread_messages_of
SELECT id, run, kind, name, CAST(payload AS BLOB), taken FROM messages WHERE run = ?1 AND taken IS NULL
ORDER BY id;
