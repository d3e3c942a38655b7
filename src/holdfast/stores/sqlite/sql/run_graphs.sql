-- What views of a run show, summed up.

-- name: tally_tasks
-- ?3: the time to look at; NULL for now. A task that ended later was running then, or had not begun. `tried` is the attempt
-- that was under way or came next, and a task began with its first one, as in task_groups.
SELECT name, state, count(*), count(*) FILTER (WHERE tried > 1), max(tried), min(seq), max(seq),
    min(asked_at), min(began_at) FILTER (WHERE ?3 IS NULL OR began_at <= ?3), max(ended_at)
FROM (
    SELECT name, seq, tasks.created_at AS asked_at,
        CASE WHEN attempt = 1 OR ?3 IS NULL OR tasks.started_at <= ?3 THEN attempt
             ELSE 1 + coalesce((SELECT max(attempts.attempt) FROM attempts
                                WHERE attempts.run = ?2 AND attempts.seq = tasks.seq
                                    AND attempts.attempt < tasks.attempt AND attempts.finished_at <= ?3), 0) END AS tried,
        CASE WHEN attempt = 1 THEN tasks.started_at
             ELSE coalesce((SELECT min(attempts.started_at) FROM attempts
                            WHERE attempts.run = ?2 AND attempts.seq = tasks.seq), tasks.started_at) END AS began_at,
        CASE WHEN ?3 IS NULL OR tasks.finished_at <= ?3 THEN tasks.finished_at END AS ended_at,
        CASE
            WHEN ?3 IS NULL OR tasks.finished_at <= ?3 THEN tasks.status
            WHEN tasks.started_at <= ?3 THEN 'running'
            WHEN attempt > 1 AND EXISTS (
                SELECT 1 FROM attempts
                WHERE attempts.run = ?2 AND attempts.seq = tasks.seq
                    AND attempts.started_at <= ?3 AND attempts.finished_at > ?3) THEN 'running'
            ELSE 'pending'
        END AS state
    FROM runs JOIN tasks ON tasks.run = runs.key
    WHERE runs.namespace = ?1 AND runs.key = ?2 AND (?3 IS NULL OR tasks.created_at <= ?3)
)
GROUP BY name, state
ORDER BY min(seq)
LIMIT ?4;

-- name: list_heard_messages
SELECT messages.id, kind, name, question
FROM runs JOIN messages ON messages.run = runs.key
WHERE runs.namespace = ?1 AND runs.key = ?2 AND taken >= 0
ORDER BY messages.id LIMIT ?3;
