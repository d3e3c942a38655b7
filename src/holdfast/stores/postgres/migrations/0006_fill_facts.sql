-- needs: 0004
-- The columns of 0005, for rows that were written before. Of `runs` only those that have not ended: nothing asks the
-- others. Their rows are locked in the order of their keys, as every transaction does that locks several.

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
), waiting_runs AS MATERIALIZED (
    SELECT namespace, key, waiting FROM holdfast.runs
    WHERE status IN ('pending', 'running', 'paused', 'parked') AND waiting IS NOT NULL
    ORDER BY namespace, key
    FOR UPDATE
)
UPDATE holdfast.runs
SET waiting_epoch = epoch,
    waiting_kind = kind,
    waiting_name = CASE WHEN kind = 'code' THEN workflow
                        ELSE btrim(split_part(split_part(substr(found.waiting, length(words) + 1), '; ', 1), ending, 1),
                                   '''"') END
FROM waiting_runs AS found JOIN kinds ON left(found.waiting, length(words)) = words
WHERE runs.namespace = found.namespace AND runs.key = found.key;

-- The id of a run that a schedule has started is the name of the schedule, an @ and the tick.
WITH scheduled_runs AS MATERIALIZED (
    SELECT runs.namespace, key, schedules.name
    FROM holdfast.runs
        JOIN holdfast.schedules
            ON schedules.namespace = runs.namespace AND schedules.name = substring(id FROM '^(.*)@[^@]*$')
    WHERE status IN ('pending', 'running', 'paused', 'parked')
    ORDER BY runs.namespace, key
    FOR UPDATE OF runs
)
UPDATE holdfast.runs SET schedule = found.name
FROM scheduled_runs AS found
WHERE runs.namespace = found.namespace AND runs.key = found.key;

UPDATE holdfast.workflows SET number = version::bigint
WHERE kind = 'flow' AND version ~ '^[0-9]{1,18}$';

-- Nobody ever changes these rows, so nobody waits for this.
UPDATE holdfast.attempts
SET worker_url = substring(worker FROM '[^ ]*$'), worker = btrim(substring(worker FROM '^(.*) [^ ]*$'))
WHERE worker ~ '[^ ].* [^ ]*://[^ ]*$';
