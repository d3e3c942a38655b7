-- needs: 0004
-- The sender's own id of a message: a message that is sent again is not added again. An update is a message with an
-- answer: what its handler returned or raised, or why it was refused.
ALTER TABLE holdfast.messages ADD COLUMN uid text;
ALTER TABLE holdfast.messages ADD COLUMN answer json;

CREATE UNIQUE INDEX messages_uid ON holdfast.messages (run, uid) WHERE uid IS NOT NULL;
