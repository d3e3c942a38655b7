-- needs: 0004
-- What happened to runs, for watchers: one row for each transaction that changed some. The rows are read in the
-- order of `id`. The oldest are removed after a while, but there is always one: a watcher that has read as far as a
-- row that is still there has missed nothing.
CREATE TABLE changes (
    id        INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    at        INTEGER NOT NULL,
    size      INTEGER NOT NULL, -- of the body, in bytes
    body      BLOB NOT NULL -- MessagePack; see change_log.py
) STRICT;

INSERT INTO changes (namespace, at, size, body) VALUES ('', unixepoch() * 1000000, 0, x'');
