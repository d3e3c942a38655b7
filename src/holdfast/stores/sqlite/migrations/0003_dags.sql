-- What tasks have said: a row holds some lines of one attempt, as JSON. AUTOINCREMENT, because whoever follows a
-- log asks for what came after the last number seen.
CREATE TABLE logs (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    run     BLOB NOT NULL,
    seq     INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    lines   TEXT NOT NULL
) STRICT;

CREATE INDEX logs_by_run ON logs (run, number);

-- Where a workflow was found last: a file, or module:name.
ALTER TABLE workflows ADD COLUMN origin TEXT NOT NULL DEFAULT '';

-- How many runs are above a run in its family.
ALTER TABLE runs ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;

-- `cursor` is the last tick that was dealt with, `queued` the ticks that wait for the run `active` to end, and
-- `revision` counts the changes: of two nodes that decide at the same time one is refused.
CREATE TABLE schedules (
    namespace  TEXT NOT NULL,
    name       TEXT NOT NULL,
    workflow   TEXT NOT NULL,
    input      TEXT NOT NULL,
    plan       TEXT NOT NULL,
    origin     TEXT NOT NULL,
    is_paused  INTEGER NOT NULL,
    revision   INTEGER NOT NULL,
    cursor     INTEGER NOT NULL,
    queued     TEXT NOT NULL,
    active     BLOB,
    next_at    INTEGER,
    skipped    INTEGER NOT NULL,
    skip_note  TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;
