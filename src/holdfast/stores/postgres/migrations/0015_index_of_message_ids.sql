-- needs: 0004
-- how: concurrently
CREATE UNIQUE INDEX CONCURRENTLY messages_once ON holdfast.messages (run, uid) WHERE uid IS NOT NULL;
