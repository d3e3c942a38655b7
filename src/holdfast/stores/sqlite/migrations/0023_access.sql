-- needs: 0004
-- Keys of people and programs that use the server. The secret of a key is not here, only its hash.
CREATE TABLE keys (
    id         TEXT PRIMARY KEY,
    namespace  TEXT NOT NULL, -- '*': all
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    hash       TEXT NOT NULL, -- SHA-256 of the secret, as hexadecimal digits
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    used_at    INTEGER, -- about when it was used last
    revoked_at INTEGER,
    revoked_by TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX keys_by_namespace ON keys (namespace, created_at, id);

-- What people and programs have changed. Rows are only added, and the oldest are removed after a while if a node was
-- told so.
CREATE TABLE audit (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    at        INTEGER NOT NULL,
    by        TEXT NOT NULL,
    key       TEXT, -- the id of the key; NULL: without one
    action    TEXT NOT NULL,
    target    TEXT NOT NULL,
    request   TEXT, -- the id that the caller gave to the request
    before    TEXT, -- JSON
    after     TEXT, -- JSON
    uid       TEXT NOT NULL -- made by the writer, so that a row that is sent again is added once
) STRICT;

CREATE UNIQUE INDEX audit_once ON audit (uid);
CREATE INDEX audit_by_namespace ON audit (namespace, number);
CREATE INDEX audit_by_target ON audit (namespace, target, number);
