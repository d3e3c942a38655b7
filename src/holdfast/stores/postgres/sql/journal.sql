-- name: insert_steps
INSERT INTO holdfast.journal (run, position, step)
SELECT * FROM unnest($1::uuid[], $2::int4[], $3::bytea[]);

-- name: steps_of
SELECT run, position, step FROM holdfast.journal WHERE run = ANY ($1::uuid[]) ORDER BY run, position;

-- name: history_sizes
-- How many rows are read of a run, about: numbers of steps and tasks have no gaps, so the last one says how many.
-- And how many bytes, as they are stored, if these are no more than $1 rows.
SELECT sized.run, sized.size, CASE WHEN sized.size > $1::int4 THEN 0 ELSE
    coalesce((
        SELECT sum(
            coalesce(pg_column_size(output), 0)
            + CASE WHEN finished_at IS NULL THEN pg_column_size(input) ELSE 0 END
        )
        FROM holdfast.tasks WHERE tasks.run = sized.run
    ), 0)
    + coalesce((
        SELECT sum(pg_column_size(payload)) FROM holdfast.messages
        WHERE messages.run = sized.run AND (taken IS NOT NULL OR kind = 'child')
    ), 0)
    END::int8
FROM (
    SELECT wanted.run,
        coalesce((SELECT max(position) + 1 FROM holdfast.journal WHERE journal.run = wanted.run), 0)
        + coalesce((SELECT max(seq) + 1 FROM holdfast.tasks WHERE tasks.run = wanted.run), 0)
        + (
            SELECT count(*) FROM holdfast.messages
            WHERE messages.run = wanted.run AND (taken IS NOT NULL OR kind = 'child')
        )::int4
        + (SELECT count(*) FROM holdfast.runs WHERE runs.parent = wanted.run)::int4 AS size
    FROM unnest($2::uuid[]) AS wanted (run)
    OFFSET 0  -- so that the sizes are not computed twice
) AS sized;

-- name: page_of_steps
SELECT position, step FROM holdfast.journal WHERE run = $1::uuid AND position >= $2::int4
ORDER BY position
LIMIT $3::int4;

-- name: set_state
INSERT INTO holdfast.state (run, key, value)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::json[])
ON CONFLICT (run, key) DO UPDATE SET value = excluded.value;

-- name: delete_state
DELETE FROM holdfast.state USING unnest($1::uuid[], $2::text[]) AS gone (run, key)
WHERE state.run = gone.run AND state.key = gone.key;

-- name: clear_state
DELETE FROM holdfast.state WHERE run = ANY ($1::uuid[]);

-- name: read_state
SELECT state.key, value
FROM holdfast.runs JOIN holdfast.state ON state.run = runs.key
WHERE runs.namespace = $1::text AND runs.key = $2::uuid
ORDER BY state.key;
