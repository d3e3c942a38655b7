-- needs: 0004
-- Facts that were read out of prose, ids and versions get columns of their own. A node of 0.4.0 may go on writing
-- to this database: it leaves the new columns as they are, and what follows from that is said beside each of them.

-- What a run waits for: a kind and a name beside `waiting`, which says it in words. They count only while
-- `waiting_epoch` is the run's epoch: 0.4.0 writes `waiting` alone, but never twice under one epoch. What it writes has
-- no kind, so a message may wake a child before its turn if 0.4.0 has opened it again.
ALTER TABLE runs ADD COLUMN waiting_kind TEXT;
ALTER TABLE runs ADD COLUMN waiting_name TEXT;
ALTER TABLE runs ADD COLUMN waiting_epoch INTEGER;

-- The schedule that a run was started for. If 0.4.0 has started it, the next tick of the schedule may be some seconds
-- late where it waits for the end of this run.
ALTER TABLE runs ADD COLUMN schedule TEXT;

-- The number of a version of a flow that was put into the store, as a draft or published. NULL for all that nodes bring.
ALTER TABLE workflows ADD COLUMN number INTEGER;

-- Where the worker that has made an attempt was called. `worker` is its id alone.
ALTER TABLE attempts ADD COLUMN worker_url TEXT NOT NULL DEFAULT '';

-- For as long as 0.4.0 writes here: it has no numbers, and writes id and URL into `worker`, with a space between them.
-- To drop these triggers is for a later migration.
CREATE TRIGGER workflows_of_0_4_0 AFTER INSERT ON workflows
WHEN NEW.number IS NULL AND NEW.kind = 'flow'
    AND NEW.version NOT GLOB '*[^0-9]*' AND length(NEW.version) BETWEEN 1 AND 18
BEGIN
    UPDATE workflows SET number = CAST(NEW.version AS INTEGER)
    WHERE namespace = NEW.namespace AND name = NEW.name AND version = NEW.version;
END;

-- Text up to its last space is what is left when all that is not a space is trimmed from its end.
CREATE TRIGGER attempts_of_0_4_0 AFTER INSERT ON attempts
WHEN NEW.worker_url = '' AND NEW.worker LIKE '_% %://%'
BEGIN
    UPDATE attempts
    SET worker = trim(rtrim(worker, replace(worker, ' ', ''))),
        worker_url = substr(worker, length(rtrim(worker, replace(worker, ' ', ''))) + 1)
    WHERE run = NEW.run AND seq = NEW.seq AND attempt = NEW.attempt
        AND instr(substr(worker, length(rtrim(worker, replace(worker, ' ', ''))) + 1), '://');
END;
