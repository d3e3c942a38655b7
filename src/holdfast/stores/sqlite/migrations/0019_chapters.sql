-- needs: 0004
-- A run may go on as a new chapter: from the start of its code, with another input. `runs.chapter` counts how often it
-- has, and `runs.input` is the input of its last chapter. Positions of steps and numbers of tasks, timers and children
-- go on counting: a chapter begins with those in its row. The first chapter has a row only if there is a second.
-- Older releases park a run that has gone on so, because they do not know its journal.
ALTER TABLE runs ADD COLUMN chapter INTEGER NOT NULL DEFAULT 0;

CREATE TABLE chapters (
    run            BLOB NOT NULL,
    number         INTEGER NOT NULL,
    first_position INTEGER NOT NULL,
    first_task     INTEGER NOT NULL,
    first_timer    INTEGER NOT NULL,
    first_child    INTEGER NOT NULL,
    input          TEXT NOT NULL,
    state          TEXT, -- with which the chapter began, as a JSON object; NULL: none
    began_at       INTEGER NOT NULL,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
