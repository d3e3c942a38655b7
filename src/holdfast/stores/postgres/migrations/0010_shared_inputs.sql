-- needs: 0004
-- Fields that the inputs of several tasks have in common: the params of a foreach. They are stored once, under the
-- number of the first of these tasks, and `tasks.shares` refers to them. NULL: `tasks.input` is the whole input.
-- Older releases park a run that has such tasks, because they do not know its journal.
CREATE TABLE holdfast.shared_inputs (
    run    uuid NOT NULL,
    seq    int NOT NULL,
    fields json NOT NULL,
    PRIMARY KEY (run, seq)
);

ALTER TABLE holdfast.tasks ADD COLUMN shares int;
