-- needs: 0004
CREATE UNIQUE INDEX messages_once ON messages (run, uid) WHERE uid IS NOT NULL;
