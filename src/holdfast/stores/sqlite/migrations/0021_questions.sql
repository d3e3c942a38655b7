-- needs: 0004
-- What runs ask the world outside for: promises, questions to people, approvals. A question is open until it is
-- answered, until nobody waits for the answer any more, or until its run ends.
CREATE TABLE questions (
    run         BLOB NOT NULL,
    number      INTEGER NOT NULL, -- each run counts its own
    namespace   TEXT NOT NULL,
    name        TEXT NOT NULL,
    details     TEXT NOT NULL, -- JSON: title, facts, schema of the answer, who may answer
    asked_at    INTEGER NOT NULL,
    closed_at   INTEGER, -- NULL: open
    is_answered INTEGER NOT NULL DEFAULT 0,
    message     INTEGER, -- the answer, if it came before the run asked
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX questions_open ON questions (namespace, asked_at, run, number) WHERE closed_at IS NULL;
CREATE INDEX questions_open_by_name ON questions (run, name, number) WHERE closed_at IS NULL;
CREATE INDEX questions_by_name ON questions (run, name, number);
CREATE INDEX questions_by_message ON questions (message) WHERE message IS NOT NULL;

-- The question that a message answers. NULL: none, or it came before the run asked, or from an older release.
ALTER TABLE messages ADD COLUMN question INTEGER;
ALTER TABLE messages ADD COLUMN comment TEXT;

-- The number of the next question, and the questions that go on, when a chapter begins. NULL: the run has asked
-- nothing yet.
ALTER TABLE chapters ADD COLUMN questions TEXT;

-- A question is answered once, but a name may be asked for again. Older releases look whether a name is settled
-- before they write, and do not need the index for that.
DROP INDEX messages_settle_once;
