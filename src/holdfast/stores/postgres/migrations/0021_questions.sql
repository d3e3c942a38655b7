-- needs: 0004
-- What runs ask the world outside for: promises, questions to people, approvals. A question is open until it is
-- answered, until nobody waits for the answer any more, or until its run ends.
CREATE TABLE holdfast.questions (
    run         uuid NOT NULL,
    number      int NOT NULL, -- each run counts its own
    namespace   text NOT NULL,
    name        text COLLATE "C" NOT NULL,
    details     json NOT NULL, -- title, facts, schema of the answer, who may answer
    asked_at    timestamptz NOT NULL,
    closed_at   timestamptz, -- NULL: open
    is_answered int NOT NULL DEFAULT 0,
    message     bigint, -- the answer, if it came before the run asked
    PRIMARY KEY (run, number)
);

CREATE INDEX questions_open ON holdfast.questions (namespace, asked_at, run, number) WHERE closed_at IS NULL;
CREATE INDEX questions_open_by_name ON holdfast.questions (run, name, number) WHERE closed_at IS NULL;
CREATE INDEX questions_by_name ON holdfast.questions (run, name, number);
CREATE INDEX questions_by_message ON holdfast.questions (message) WHERE message IS NOT NULL;

-- The question that a message answers. NULL: none, or it came before the run asked, or from an older release.
ALTER TABLE holdfast.messages ADD COLUMN question int;
ALTER TABLE holdfast.messages ADD COLUMN comment text;

-- The number of the next question, and the questions that go on, when a chapter begins. NULL: the run has asked
-- nothing yet.
ALTER TABLE holdfast.chapters ADD COLUMN questions json;

-- A question is answered once, but a name may be asked for again. Older releases look whether a name is settled
-- before they write, and do not need the index for that.
DROP INDEX holdfast.messages_settle_once;
