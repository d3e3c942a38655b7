-- needs: 0004
-- The columns of 0005, for rows that were written before. Of `runs` only those that have not ended: nothing asks the
-- others.

-- `waiting` begins with the words of what the run waits for first. Its name is what follows, up to `ending`.
WITH kinds (words, kind, ending) AS (
    VALUES ('its turn in ', 'turn', '; '),
           ('child ', 'child', ', '),
           ('signal ', 'signal', '; '),
           ('promise ', 'promise', '; '),
           ('approval ', 'approval', '; '),
           ('another try of task ', 'retry', ', which was '),
           ('a worker of service ', 'service', ' ('),
           ('until ', 'timer', '; '),
           ('code that it fits', 'code', '; ')
), waiting_runs AS (
    SELECT namespace, key, kind, ending,
        substr(waiting, length(words) + 1, instr(waiting || '; ', '; ') - length(words) - 1) AS rest
    FROM runs JOIN kinds ON substr(waiting, 1, length(words)) = words
    WHERE status IN ('pending', 'running', 'paused', 'parked')
)
UPDATE runs
SET waiting_epoch = epoch,
    waiting_kind = found.kind,
    waiting_name = CASE WHEN found.kind = 'code' THEN workflow
                        ELSE trim(substr(rest, 1, instr(rest || ending, ending) - 1), '''"') END
FROM waiting_runs AS found
WHERE runs.namespace = found.namespace AND runs.key = found.key;

-- The id of a run that a schedule has started is the name of the schedule, an @ and the tick. Text up to its last @ is
-- what is left when all that is not an @ is trimmed from its end.
UPDATE runs SET schedule = schedules.name
FROM schedules
WHERE runs.status IN ('pending', 'running', 'paused', 'parked')
    AND schedules.namespace = runs.namespace
    AND schedules.name || '@' = rtrim(runs.id, replace(runs.id, '@', ''));

UPDATE workflows SET number = CAST(version AS INTEGER)
WHERE kind = 'flow' AND version NOT GLOB '*[^0-9]*' AND length(version) BETWEEN 1 AND 18;

UPDATE attempts
SET worker = trim(rtrim(worker, replace(worker, ' ', ''))),
    worker_url = substr(worker, length(rtrim(worker, replace(worker, ' ', ''))) + 1)
WHERE worker LIKE '_% %://%'
    AND instr(substr(worker, length(rtrim(worker, replace(worker, ' ', ''))) + 1), '://');
