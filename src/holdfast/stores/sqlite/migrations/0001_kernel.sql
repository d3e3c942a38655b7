-- Instants are microseconds since 1970. Payloads and failures are JSON text. Keys of runs are the
-- 16 bytes of a UUIDv7, so that rows of one time lie side by side: random keys cost a factor of six.
-- WITHOUT ROWID keeps a row in its key's own tree, where it is always looked for.

CREATE TABLE schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (datetime('now'))
) STRICT;

CREATE TABLE runs (
    namespace   TEXT NOT NULL,
    key         BLOB NOT NULL,
    id          TEXT,
    workflow    TEXT NOT NULL,
    version     TEXT NOT NULL,
    claim       TEXT NOT NULL,
    status      TEXT NOT NULL,
    input       TEXT NOT NULL,
    output      TEXT,
    failure     TEXT,
    parent      BLOB,
    parent_seq  INTEGER,
    owner       TEXT,
    epoch       INTEGER NOT NULL,
    wake_at     INTEGER,
    waiting     TEXT,
    created_at  INTEGER NOT NULL,
    started_at  INTEGER,
    finished_at INTEGER,
    PRIMARY KEY (namespace, key)
) STRICT, WITHOUT ROWID;

-- A name given by the user belongs to one run.
CREATE UNIQUE INDEX runs_by_id ON runs (namespace, id) WHERE id IS NOT NULL;

-- What a node may take, in the order in which it became due. A run leaves this index when it is
-- taken, parked or over, so that the cost of a claim does not depend on what is not due.
CREATE INDEX runs_to_claim ON runs (namespace, claim, wake_at) WHERE owner IS NULL AND wake_at IS NOT NULL;

-- Whose runs to free when a node dies, and which of them have mail.
CREATE INDEX runs_by_owner ON runs (owner, wake_at) WHERE owner IS NOT NULL;

CREATE INDEX runs_by_parent ON runs (parent) WHERE parent IS NOT NULL;

-- For listing by state. Successful runs are most of the table and found without it.
CREATE INDEX runs_by_status ON runs (namespace, status, key) WHERE status <> 'success';

CREATE TABLE journal (
    run      BLOB NOT NULL,
    position INTEGER NOT NULL,
    step     BLOB NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
    run         BLOB NOT NULL,
    seq         INTEGER NOT NULL,
    name        TEXT NOT NULL,
    status      TEXT NOT NULL,
    attempt     INTEGER NOT NULL,
    lost        INTEGER NOT NULL,
    forgiven    INTEGER NOT NULL DEFAULT 0,
    input       TEXT NOT NULL,
    output      TEXT,
    failure     TEXT,
    heartbeat   TEXT,
    due_at      INTEGER,
    created_at  INTEGER NOT NULL,
    started_at  INTEGER,
    finished_at INTEGER,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

-- Attempts that did not succeed; one that did is the task's own row.
CREATE TABLE attempts (
    run         BLOB NOT NULL,
    seq         INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    status      TEXT NOT NULL,
    failure     TEXT,
    started_at  INTEGER,
    finished_at INTEGER NOT NULL,
    node        TEXT NOT NULL,
    PRIMARY KEY (run, seq, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
    run   BLOB NOT NULL,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: a message's id is never used again, also when rows are removed. Journals refer to it.
CREATE TABLE messages (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    run     BLOB NOT NULL,
    kind    TEXT NOT NULL,
    name    TEXT NOT NULL,
    payload TEXT NOT NULL,
    taken   INTEGER
) STRICT;

CREATE INDEX messages_by_run ON messages (run, id);

-- A promise is settled once.
CREATE UNIQUE INDEX messages_settle_once ON messages (run, name) WHERE kind IN ('resolved', 'rejected');

CREATE TABLE nodes (
    id          TEXT PRIMARY KEY,
    namespace   TEXT NOT NULL,
    tick        INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    started_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workflows (
    namespace  TEXT NOT NULL,
    name       TEXT NOT NULL,
    version    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    source     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, name, version)
) STRICT, WITHOUT ROWID;
