-- needs: 0004
-- The sender's own id of a message: a message that is sent again is not added again. An update is a message with an
-- answer: what its handler returned or raised, or why it was refused.
ALTER TABLE messages ADD COLUMN uid TEXT;
ALTER TABLE messages ADD COLUMN answer TEXT; -- JSON

CREATE UNIQUE INDEX messages_uid ON messages (run, uid) WHERE uid IS NOT NULL;
