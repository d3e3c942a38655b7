-- needs: 0004
-- Sessions of people who have logged in with a browser. The secret of a session is not here, only its hash.
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    namespace  TEXT NOT NULL, -- '*': all
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    hash       TEXT NOT NULL, -- SHA-256 of the secret, as hexadecimal digits
    key        TEXT, -- the id of the key that it was made with; NULL: none
    subject    TEXT NOT NULL, -- who has logged in: the id of the key, or what the identity provider says
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL -- about when it was used last
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_namespace ON sessions (namespace, created_at, id);
CREATE INDEX sessions_by_subject ON sessions (subject, created_at, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
