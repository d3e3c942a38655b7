-- What tasks have said: a row holds some lines of one attempt, as JSON. Whoever follows a log asks for what came
-- after the last number seen; the rows of one run are written by one node at a time, so their numbers rise.
CREATE TABLE holdfast.logs (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run     uuid NOT NULL,
    seq     int NOT NULL,
    attempt int NOT NULL,
    lines   json NOT NULL
);

CREATE INDEX logs_by_run ON holdfast.logs (run, number);

-- Where a workflow was found last: a file, or module:name.
ALTER TABLE holdfast.workflows ADD COLUMN origin text NOT NULL DEFAULT '';

-- How many runs are above a run in its family.
ALTER TABLE holdfast.runs ADD COLUMN depth int NOT NULL DEFAULT 0;

-- `cursor` is the last tick that was dealt with, `queued` the ticks that wait for the run `active` to end, and
-- `revision` counts the changes: of two nodes that decide at the same time one is refused.
CREATE TABLE holdfast.schedules (
    namespace  text NOT NULL,
    name       text NOT NULL,
    workflow   text NOT NULL,
    input      json NOT NULL,
    plan       json NOT NULL,
    origin     text NOT NULL,
    is_paused  boolean NOT NULL,
    revision   int NOT NULL,
    cursor     timestamptz NOT NULL,
    queued     text NOT NULL,
    active     uuid,
    next_at    timestamptz,
    skipped    bigint NOT NULL,
    skip_note  text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (namespace, name)
);
