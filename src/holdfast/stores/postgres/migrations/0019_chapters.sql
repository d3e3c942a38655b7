-- needs: 0004
-- A run may go on as a new chapter: from the start of its code, with another input. `runs.chapter` counts how often it
-- has, and `runs.input` is the input of its last chapter. Positions of steps and numbers of tasks, timers and children
-- go on counting: a chapter begins with those in its row. The first chapter has a row only if there is a second.
-- Older releases park a run that has gone on so, because they do not know its journal.
ALTER TABLE holdfast.runs ADD COLUMN chapter int4 NOT NULL DEFAULT 0;

CREATE TABLE holdfast.chapters (
    run            uuid NOT NULL,
    number         int4 NOT NULL,
    first_position int4 NOT NULL,
    first_task     int4 NOT NULL,
    first_timer    int4 NOT NULL,
    first_child    int4 NOT NULL,
    input          json NOT NULL,
    state          json, -- with which the chapter began; NULL: none
    began_at       timestamptz NOT NULL,
    PRIMARY KEY (run, number)
);
