-- needs: 0004
-- Fields that the inputs of several tasks have in common: the params of a foreach. They are stored once, under the
-- number of the first of these tasks, and `tasks.shares` refers to them. NULL: `tasks.input` is the whole input.
-- Older releases park a run that has such tasks, because they do not know its journal.
CREATE TABLE shared_inputs (
    run    BLOB NOT NULL,
    seq    INTEGER NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

ALTER TABLE tasks ADD COLUMN shares INTEGER;
