-- name: insert_schedule
INSERT INTO schedules (namespace, name, workflow, input, plan, origin, is_paused, revision, cursor, queued, active,
                       next_at, skipped, skip_note, created_at, updated_at)
VALUES (?1, ?2, ?3, CAST(?4 AS TEXT), CAST(?5 AS TEXT), ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
ON CONFLICT DO NOTHING
RETURNING name;

-- name: update_schedule
-- ?17 is the revision on which the change is based. Of two such changes, the second changes nothing.
UPDATE schedules
SET workflow = ?3, input = CAST(?4 AS TEXT), plan = CAST(?5 AS TEXT), origin = ?6, is_paused = ?7, revision = ?8,
    cursor = ?9, queued = ?10, active = ?11, next_at = ?12, skipped = ?13, skip_note = ?14, created_at = ?15,
    updated_at = ?16
WHERE namespace = ?1 AND name = ?2 AND revision = ?17
RETURNING name;

-- name: delete_schedule
DELETE FROM schedules WHERE namespace = ?1 AND name = ?2 RETURNING name;

-- name: list_schedules
-- The last column says whether the active run, which the schedule started last, is still open.
SELECT name, schedules.workflow, CAST(schedules.input AS BLOB), CAST(plan AS BLOB), origin, is_paused, revision, cursor,
    queued, active, next_at, skipped, skip_note, schedules.created_at, updated_at,
    coalesce(runs.status NOT IN ('success', 'failed', 'cancelled'), 0)
FROM schedules LEFT JOIN runs ON runs.namespace = schedules.namespace AND runs.key = schedules.active
WHERE schedules.namespace = ?1 AND (?2 IS NULL OR name = ?2)
ORDER BY name;

-- name: due_schedules
-- Schedules whose next_at has come, and schedules with a queued tick whose active run has ended. Those of published
-- workflows may be fired by any node.
SELECT name, schedules.workflow, CAST(schedules.input AS BLOB), CAST(plan AS BLOB), origin, is_paused, revision, cursor,
    queued, active, next_at, skipped, skip_note, schedules.created_at, updated_at,
    coalesce(runs.status NOT IN ('success', 'failed', 'cancelled'), 0) AS is_active
FROM schedules LEFT JOIN runs ON runs.namespace = schedules.namespace AND runs.key = schedules.active
WHERE schedules.namespace = ?1 AND NOT is_paused
    AND (next_at <= ?2 OR (queued <> '[]' AND NOT is_active))
    AND (schedules.workflow IN (SELECT value FROM json_each(?3)) OR schedules.workflow LIKE '%@(published flows)')
ORDER BY CASE WHEN queued <> '[]' AND NOT is_active THEN cursor ELSE next_at END, name
LIMIT ?4;

-- name: runs_of_schedules
-- Of the schedule ?5 the newest ?4 runs with keys from ?2 on and below ?3.
SELECT schedule, key, id, status, created_at, started_at, finished_at FROM runs INDEXED BY runs_by_schedule
WHERE namespace = ?1 AND schedule = ?5 AND key >= ?2 AND key < coalesce(?3, x'ffffffffffffffffffffffffffffffff')
ORDER BY key DESC
LIMIT ?4;
