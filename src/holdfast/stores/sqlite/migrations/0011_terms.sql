-- needs: 0004
-- What a run is started with besides its input, and what its end says. Older releases start runs without it.

-- Deadline, tags, note and who started it, as JSON. NULL: none.
ALTER TABLE runs ADD COLUMN options TEXT;

-- Due runs of a higher priority are claimed first.
ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

CREATE TABLE run_tags (
    namespace TEXT NOT NULL,
    tag       TEXT NOT NULL,
    run       BLOB NOT NULL,
    PRIMARY KEY (namespace, tag, run)
) STRICT, WITHOUT ROWID;

-- Stands for the cause of a failure: its class, its place and its message without numbers, as a hash. For grouping failures.
ALTER TABLE runs ADD COLUMN fingerprint TEXT;

-- Who has sent a message, and when. Acts of operators are messages as well.
ALTER TABLE messages ADD COLUMN posted_by TEXT;
ALTER TABLE messages ADD COLUMN posted_at INTEGER;
