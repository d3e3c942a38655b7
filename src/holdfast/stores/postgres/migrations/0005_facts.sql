-- needs: 0004
-- Facts that were read out of prose, ids and versions get columns of their own. A node of 0.4.0 may go on writing
-- to this database: it leaves the new columns as they are, and what follows from that is said beside each of them.
-- Nothing here rewrites a table, so the locks are held for a moment only. Rows are filled in by the next migration.

-- What a run waits for: a kind and a name beside `waiting`, which says it in words. They count only while
-- `waiting_epoch` is the run's epoch: 0.4.0 writes `waiting` alone, but never twice under one epoch. What it writes has
-- no kind, so a message may wake a child before its turn if 0.4.0 has opened it again.
ALTER TABLE holdfast.runs ADD COLUMN waiting_kind text;
ALTER TABLE holdfast.runs ADD COLUMN waiting_name text;
ALTER TABLE holdfast.runs ADD COLUMN waiting_epoch int;

-- The schedule that a run was started for. If 0.4.0 has started it, the next tick of the schedule may be some seconds
-- late where it waits for the end of this run.
ALTER TABLE holdfast.runs ADD COLUMN schedule text;

-- The number of a version of a flow that was put into the store, as a draft or published. NULL for all that nodes bring.
ALTER TABLE holdfast.workflows ADD COLUMN number bigint;

-- Where the worker that has made an attempt was called. `worker` is its id alone.
ALTER TABLE holdfast.attempts ADD COLUMN worker_url text NOT NULL DEFAULT '';

-- For as long as 0.4.0 writes here: it has no numbers, and writes id and URL into `worker`, with a space between them.
-- To drop these triggers is for a later migration.
CREATE FUNCTION holdfast.workflows_of_0_4_0() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.number := NEW.version::bigint;
    RETURN NEW;
END $$;

CREATE TRIGGER workflows_of_0_4_0 BEFORE INSERT ON holdfast.workflows FOR EACH ROW
WHEN (NEW.number IS NULL AND NEW.kind = 'flow' AND NEW.version ~ '^[0-9]{1,18}$')
EXECUTE FUNCTION holdfast.workflows_of_0_4_0();

CREATE FUNCTION holdfast.attempts_of_0_4_0() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.worker_url := substring(NEW.worker FROM '[^ ]*$');
    NEW.worker := btrim(substring(NEW.worker FROM '^(.*) [^ ]*$'));
    RETURN NEW;
END $$;

CREATE TRIGGER attempts_of_0_4_0 BEFORE INSERT ON holdfast.attempts FOR EACH ROW
WHEN (NEW.worker_url = '' AND NEW.worker ~ '[^ ].* [^ ]*://[^ ]*$')
EXECUTE FUNCTION holdfast.attempts_of_0_4_0();
