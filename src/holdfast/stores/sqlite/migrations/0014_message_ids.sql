-- needs: 0004
-- What the sender of a message calls it, so that a message that is sent again is not added again. NULL: it has no name,
-- as those of nodes.
ALTER TABLE messages ADD COLUMN uid TEXT;
