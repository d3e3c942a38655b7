-- What operators do to runs. Each is for a run that no node has: the transaction has locked its row.

-- name: attached_children
-- Open children that end with their parent. A detached child has no ancestors.
SELECT parent, key, options FROM holdfast.runs
WHERE parent = ANY ($1::uuid[]) AND depth > 0 AND status NOT IN ('success', 'failed', 'cancelled')
ORDER BY key;

-- name: terminate_runs
-- The epoch increases, so that nothing decided before can be written after. Only a run that is replaced has an owner.
WITH ended AS MATERIALIZED (
    SELECT $1::text AS namespace, ended.* FROM unnest($3::uuid[], $4::json[]) AS ended (run, failure)
)
UPDATE holdfast.runs
SET status = 'cancelled', failure = ended.failure, owner = NULL, wake_at = NULL, finished_at = $2::timestamptz, epoch = epoch + 1,
    waiting = NULL, waiting_kind = NULL, waiting_name = NULL, waiting_epoch = NULL
FROM ended
WHERE runs.namespace = ended.namespace AND key = ended.run;

-- name: pause_runs
-- The deadline of a run counts while it is paused.
WITH paused AS MATERIALIZED (
    SELECT $1::text AS namespace, paused.*
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS paused (run, waiting, waiting_kind, waiting_name)
)
UPDATE holdfast.runs
SET status = 'paused',
    wake_at = timestamptz 'epoch' + (options ->> 'deadline')::int8 * interval '1 microsecond',
    waiting = paused.waiting, waiting_kind = paused.waiting_kind, waiting_name = paused.waiting_name,
    waiting_epoch = runs.epoch
FROM paused
WHERE runs.namespace = paused.namespace AND key = paused.run;

-- name: end_backoffs_in_queue
-- The text is the name or the number of the task. Empty: every task of the run.
UPDATE holdfast.queue SET ready_at = $1::timestamptz
WHERE run = $2::uuid AND worker IS NULL AND ready_at > $1
    AND ($3::text = '' OR seq::text = $3
         OR (SELECT name FROM holdfast.tasks WHERE tasks.run = queue.run AND tasks.seq = queue.seq) = $3);

-- name: hold_queue
-- While its run is paused, no worker takes the item. The far future stands for the end of the pause.
UPDATE holdfast.queue SET ready_at = ready_at + interval '36525 days'
WHERE run = ANY ($1::uuid[]) AND worker IS NULL;

-- name: let_queue_go
UPDATE holdfast.queue SET ready_at = ready_at - interval '36525 days'
FROM unnest($1::uuid[], $2::timestamptz[]) AS wanted (run, after)
WHERE queue.run = wanted.run AND worker IS NULL AND ready_at > wanted.after;

-- name: give_up_ids
-- The options say which id the run had.
WITH ended AS MATERIALIZED (
    SELECT $1::text AS namespace, ended.* FROM unnest($2::uuid[], $3::json[]) AS ended (run, options)
)
UPDATE holdfast.runs SET id = NULL, options = ended.options
FROM ended
WHERE runs.namespace = ended.namespace AND key = ended.run;

-- name: note_lost_runs
INSERT INTO holdfast.lost_runs (node, run)
SELECT * FROM unnest($1::text[], $2::uuid[]) ON CONFLICT DO NOTHING;

-- name: pauses_of
-- Since when a paused run has been paused: its first pause after it was last resumed.
SELECT asked.run, min(posted_at)
FROM unnest($1::uuid[]) AS asked (run)
JOIN holdfast.messages ON messages.run = asked.run AND kind = 'pause' AND posted_at IS NOT NULL
WHERE id > coalesce((SELECT max(resumed.id) FROM holdfast.messages AS resumed
                     WHERE resumed.run = asked.run AND resumed.kind = 'resume'), 0)
GROUP BY asked.run;

-- name: move_backoffs
UPDATE holdfast.tasks SET due_at = due_at + moved.span * interval '1 microsecond'
FROM unnest($1::uuid[], $2::int8[]) AS moved (run, span)
WHERE tasks.run = moved.run AND status = 'pending' AND due_at IS NOT NULL;

-- name: lock_queue
SELECT run, seq FROM holdfast.queue WHERE run = ANY ($1::uuid[]) ORDER BY run, seq FOR UPDATE;

-- name: move_queue
UPDATE holdfast.queue SET ready_at = ready_at + moved.span * interval '1 microsecond'
FROM unnest($1::uuid[], $2::int8[]) AS moved (run, span)
WHERE queue.run = moved.run AND worker IS NULL;
