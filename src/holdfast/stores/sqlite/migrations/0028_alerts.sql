-- needs: 0004
-- Rules that say whom to tell of runs that fail, are parked, are late or wait for an answer.
CREATE TABLE alerts (
    namespace  TEXT NOT NULL,
    name       TEXT NOT NULL,
    rule       TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;
