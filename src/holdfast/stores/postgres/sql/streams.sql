-- name: insert_items
-- The offsets go on from the last row of the stream, whichever node wrote it. A batch may have several rows of a
-- stream, which do not see each other.
INSERT INTO holdfast.stream_items
    (drop_at, run, name, seq, attempt, is_first, first_offset, next_offset, total_bytes, items)
SELECT $1::timestamptz, new.run, new.name, new.seq, new.attempt, new.is_first,
    coalesce(last.next_offset, 0) + sum(new.count) OVER earlier - new.count,
    coalesce(last.next_offset, 0) + sum(new.count) OVER earlier,
    coalesce(last.total_bytes, 0) + sum(new.size) OVER earlier,
    new.items
FROM unnest($2::uuid[], $3::text[], $4::int4[], $5::int4[], $6::int4[], $7::int4[], $8::int4[], $9::json[])
        WITH ORDINALITY AS new (run, name, seq, attempt, is_first, count, size, items, number)
    LEFT JOIN LATERAL (
        SELECT next_offset, total_bytes FROM holdfast.stream_items AS known
        WHERE known.run = new.run AND known.name = new.name
        ORDER BY next_offset DESC LIMIT 1
    ) AS last ON true
WINDOW earlier AS (PARTITION BY new.run, new.name ORDER BY new.number);

-- name: trim_streams
-- Drop the oldest rows of streams that have more than $1 items, or more than $2 bytes in rows that are whole. The last
-- row stays, because the next one is numbered by it. By bytes, a few rows are dropped at once: more than are added.
-- The limits keep Postgres from joining the other way round, which would read all rows of all streams.
WITH bounds AS MATERIALIZED (
    SELECT wanted.run, wanted.name,
        greatest(last.next_offset - $1::int8, coalesce((
            SELECT max(next_offset)
            FROM (
                SELECT next_offset, total_bytes FROM holdfast.stream_items AS known
                WHERE known.run = wanted.run AND known.name = wanted.name
                ORDER BY next_offset LIMIT wanted.few
            ) AS first
            WHERE first.total_bytes <= last.total_bytes - $2::int8
        ), 0)) AS until
    FROM unnest($3::uuid[], $4::text[], $5::int4[]) AS wanted (run, name, few)
        CROSS JOIN LATERAL (
            SELECT next_offset, total_bytes FROM holdfast.stream_items AS known
            WHERE known.run = wanted.run AND known.name = wanted.name
            ORDER BY next_offset DESC LIMIT 1
        ) AS last
)
DELETE FROM holdfast.stream_items
WHERE ctid = ANY (ARRAY (
    SELECT old.ctid FROM bounds CROSS JOIN LATERAL (
        SELECT known.ctid FROM holdfast.stream_items AS known
        WHERE known.run = bounds.run AND known.name = bounds.name AND known.next_offset <= bounds.until
        ORDER BY known.next_offset LIMIT 10000
    ) AS old
));

-- name: items_to_drop
-- Rows that are due to be dropped, the oldest first, and whether each is the last of its stream.
SELECT run, name, next_offset, next_offset = (
    SELECT known.next_offset FROM holdfast.stream_items AS known
    WHERE known.run = due.run AND known.name = due.name ORDER BY known.next_offset DESC LIMIT 1
)
FROM (
    SELECT run, name, next_offset FROM holdfast.stream_items
    WHERE drop_at <= $1::timestamptz ORDER BY drop_at LIMIT $2::int4
) AS due;

-- name: drop_items
DELETE FROM holdfast.stream_items
USING unnest($1::uuid[], $2::text[], $3::int8[]) AS old (run, name, next_offset)
WHERE stream_items.run = old.run AND stream_items.name = old.name AND stream_items.next_offset = old.next_offset;

-- name: drop_empty_items
-- Rows that were emptied when they were the last, and that are not any more.
DELETE FROM holdfast.stream_items
USING unnest($1::uuid[], $2::text[], $3::int8[]) AS old (run, name, next_offset)
WHERE stream_items.run = old.run AND stream_items.name = old.name AND stream_items.next_offset < old.next_offset
    AND stream_items.first_offset = stream_items.next_offset;

-- name: empty_items
-- The last row of a stream stays, without its items, because the next one is numbered by it.
UPDATE holdfast.stream_items SET first_offset = stream_items.next_offset, items = '[]', drop_at = NULL
FROM unnest($1::uuid[], $2::text[], $3::int8[]) AS old (run, name, next_offset)
WHERE stream_items.run = old.run AND stream_items.name = old.name AND stream_items.next_offset = old.next_offset;

-- name: stream_state
-- The status of the run, and the offset that the next item of the stream will have.
SELECT status, coalesce((SELECT next_offset FROM holdfast.stream_items WHERE run = $2::uuid AND name = $3::text
                         ORDER BY next_offset DESC LIMIT 1), 0)
FROM holdfast.runs WHERE namespace = $1::text AND key = $2;

-- name: read_stream
-- Rows with items from offset $3 on: $4 rows at most, and no more than $5 bytes after the first row.
SELECT first_offset, seq, attempt, is_first, items,
    (SELECT tasks.name FROM holdfast.tasks WHERE tasks.run = stream_items.run AND tasks.seq = stream_items.seq)
FROM holdfast.stream_items
WHERE run = $1::uuid AND name = $2::text AND next_offset > $3::int8
    AND total_bytes <= $5::int8 + (
        SELECT total_bytes FROM holdfast.stream_items
        WHERE run = $1 AND name = $2 AND next_offset > $3
        ORDER BY next_offset LIMIT 1
    )
ORDER BY next_offset
LIMIT $4::int4;

-- name: list_streams
-- By a few lookups in the index for each stream.
WITH RECURSIVE found (name) AS (
    SELECT (SELECT name FROM holdfast.stream_items
            WHERE run = (SELECT key FROM holdfast.runs WHERE namespace = $1::text AND key = $2::uuid)
            ORDER BY name LIMIT 1)
    UNION ALL
    SELECT (SELECT items.name FROM holdfast.stream_items AS items
            WHERE run = $2 AND items.name > found.name
            ORDER BY items.name LIMIT 1)
    FROM found WHERE found.name IS NOT NULL
)
SELECT found.name,
    (SELECT first_offset FROM holdfast.stream_items AS items WHERE run = $2 AND items.name = found.name
     ORDER BY next_offset LIMIT 1),
    (SELECT next_offset FROM holdfast.stream_items AS items WHERE run = $2 AND items.name = found.name
     ORDER BY next_offset DESC LIMIT 1)
FROM found WHERE found.name IS NOT NULL;
