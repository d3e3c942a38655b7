-- name: insert_schedule
INSERT INTO holdfast.schedules (namespace, name, workflow, input, plan, origin, is_paused, revision, cursor, queued,
                                active, next_at, skipped, skip_note, created_at, updated_at)
VALUES ($1::text, $2::text, $3::text, $4::json, $5::json, $6::text, $7::int4 <> 0, $8::int4, $9::timestamptz,
        $10::text, $11::uuid, $12::timestamptz, $13::int8, $14::text, $15::timestamptz, $16::timestamptz)
ON CONFLICT DO NOTHING
RETURNING name;

-- name: update_schedule
-- $17 is the revision on which the change is based. Of two such changes, the second changes nothing.
UPDATE holdfast.schedules
SET workflow = $3::text, input = $4::json, plan = $5::json, origin = $6::text, is_paused = $7::int4 <> 0,
    revision = $8::int4, cursor = $9::timestamptz, queued = $10::text, active = $11::uuid,
    next_at = $12::timestamptz, skipped = $13::int8, skip_note = $14::text, created_at = $15::timestamptz,
    updated_at = $16::timestamptz
WHERE namespace = $1::text AND name = $2::text AND revision = $17::int4
RETURNING name;

-- name: delete_schedule
DELETE FROM holdfast.schedules WHERE namespace = $1::text AND name = $2::text RETURNING name;

-- name: list_schedules
-- The last column says whether the active run, which the schedule started last, is still open.
SELECT name, schedules.workflow, schedules.input, plan, origin, is_paused, revision, cursor, queued, active, next_at,
    skipped, skip_note, schedules.created_at, updated_at,
    coalesce(runs.status NOT IN ('success', 'failed', 'cancelled'), false)
FROM holdfast.schedules
    LEFT JOIN holdfast.runs ON runs.namespace = schedules.namespace AND runs.key = schedules.active
WHERE schedules.namespace = $1::text AND ($2::text IS NULL OR name = $2)
ORDER BY name;

-- name: due_schedules
-- Schedules whose next_at has come, and schedules with a queued tick whose active run has ended. Those of published
-- workflows may be fired by any node.
SELECT name, schedules.workflow, schedules.input, plan, origin, is_paused, revision, cursor, queued, active, next_at,
    skipped, skip_note, schedules.created_at, updated_at,
    coalesce(runs.status NOT IN ('success', 'failed', 'cancelled'), false)
FROM holdfast.schedules
    LEFT JOIN holdfast.runs ON runs.namespace = schedules.namespace AND runs.key = schedules.active
WHERE schedules.namespace = $1::text AND NOT is_paused
    AND (next_at <= $2::timestamptz
         OR (queued <> '[]' AND coalesce(runs.status IN ('success', 'failed', 'cancelled'), true)))
    AND (schedules.workflow = ANY ($3::text[]) OR schedules.workflow LIKE '%@(published flows)')
ORDER BY CASE WHEN queued <> '[]' AND coalesce(runs.status IN ('success', 'failed', 'cancelled'), true)
              THEN cursor ELSE next_at END, name
LIMIT $4::int4;

-- name: runs_of_schedules
-- Of each of the schedules $5 the newest $4 runs with keys from $2 on and below $3. LATERAL: each is a range of the index.
SELECT found.* FROM unnest($5::text[]) AS wanted (schedule)
    CROSS JOIN LATERAL (
        SELECT runs.schedule, key, id, status, created_at, started_at, finished_at FROM holdfast.runs
        WHERE namespace = $1::text AND runs.schedule = wanted.schedule
            AND key >= $2::uuid AND key < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        ORDER BY runs.schedule DESC, key DESC
        LIMIT $4::int8
    ) AS found;
