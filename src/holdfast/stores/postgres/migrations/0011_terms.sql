-- needs: 0004
-- What a run is started with besides its input, and what its end says. Older releases start runs without it.

-- Deadline, tags, note and who started it, as JSON. NULL: none.
ALTER TABLE holdfast.runs ADD COLUMN options json;

-- Due runs of a higher priority are claimed first.
ALTER TABLE holdfast.runs ADD COLUMN priority int4 NOT NULL DEFAULT 0;

CREATE TABLE holdfast.run_tags (
    namespace text NOT NULL,
    tag       text NOT NULL COLLATE "C",
    run       uuid NOT NULL,
    PRIMARY KEY (namespace, tag, run)
);

-- Stands for the cause of a failure: its class, its place and its message without numbers, as a hash. For grouping failures.
ALTER TABLE holdfast.runs ADD COLUMN fingerprint text COLLATE "C";

-- Who has sent a message, and when. Acts of operators are messages as well.
ALTER TABLE holdfast.messages ADD COLUMN posted_by text;
ALTER TABLE holdfast.messages ADD COLUMN posted_at timestamptz;
