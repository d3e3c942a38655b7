-- name: insert_items
-- The offsets go on from the last row of the stream, whichever node wrote it.
INSERT INTO stream_items
    (drop_at, run, name, seq, attempt, is_first, first_offset, next_offset, total_bytes, items)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, coalesce(next_offset, 0), coalesce(next_offset, 0) + ?7, coalesce(total_bytes, 0) + ?8,
    CAST(?9 AS TEXT)
FROM (SELECT 1) LEFT JOIN (
    SELECT next_offset, total_bytes FROM stream_items WHERE run = ?2 AND name = ?3 ORDER BY next_offset DESC LIMIT 1
);

-- name: trim_streams
-- Drop the oldest rows of a stream that has more than ?1 items, or more than ?2 bytes in rows that are whole. The last
-- row stays, because the next one is numbered by it. By bytes, a few rows are dropped at once: more than are added.
DELETE FROM stream_items
WHERE run = ?3 AND name = ?4 AND next_offset <= (
    SELECT max(last.next_offset - ?1, coalesce((
        SELECT max(next_offset)
        FROM (SELECT next_offset, total_bytes FROM stream_items WHERE run = ?3 AND name = ?4 ORDER BY next_offset LIMIT ?5)
        WHERE total_bytes <= last.total_bytes - ?2
    ), 0))
    FROM (
        SELECT next_offset, total_bytes FROM stream_items WHERE run = ?3 AND name = ?4 ORDER BY next_offset DESC LIMIT 1
    ) AS last
);

-- name: items_to_drop
-- Rows that are due to be dropped, the oldest first, and whether each is the last of its stream.
SELECT run, name, next_offset, next_offset = (
    SELECT max(known.next_offset) FROM stream_items AS known
    WHERE known.run = stream_items.run AND known.name = stream_items.name
)
FROM stream_items WHERE drop_at <= ?1 ORDER BY drop_at LIMIT ?2;

-- name: drop_items
DELETE FROM stream_items WHERE run = ?1 AND name = ?2 AND next_offset = ?3;

-- name: drop_empty_items
-- Rows that were emptied when they were the last, and that are not any more.
DELETE FROM stream_items WHERE run = ?1 AND name = ?2 AND next_offset < ?3 AND first_offset = next_offset;

-- name: empty_items
-- The last row of a stream stays, without its items, because the next one is numbered by it.
UPDATE stream_items SET first_offset = next_offset, items = '[]', drop_at = NULL
WHERE run = ?1 AND name = ?2 AND next_offset = ?3;

-- name: stream_state
-- The status of the run, and the offset that the next item of the stream will have.
SELECT status, coalesce((SELECT max(next_offset) FROM stream_items WHERE run = ?2 AND name = ?3), 0)
FROM runs WHERE namespace = ?1 AND key = ?2;

-- name: read_stream
-- Rows with items from offset ?3 on: ?4 rows at most, and no more than ?5 bytes after the first row.
SELECT first_offset, seq, attempt, is_first, CAST(items AS BLOB),
    (SELECT tasks.name FROM tasks WHERE tasks.run = stream_items.run AND tasks.seq = stream_items.seq)
FROM stream_items
WHERE run = ?1 AND name = ?2 AND next_offset > ?3 AND total_bytes <= ?5 + (
    SELECT total_bytes FROM stream_items WHERE run = ?1 AND name = ?2 AND next_offset > ?3 ORDER BY next_offset LIMIT 1
)
ORDER BY next_offset
LIMIT ?4;

-- name: list_streams
-- By a few lookups in the index for each stream.
WITH RECURSIVE found (name) AS (
    SELECT min(name) FROM stream_items
    WHERE run = (SELECT key FROM runs WHERE namespace = ?1 AND key = ?2)
    UNION ALL
    SELECT (SELECT min(name) FROM stream_items WHERE run = ?2 AND name > found.name)
    FROM found WHERE found.name IS NOT NULL
)
SELECT found.name,
    (SELECT first_offset FROM stream_items WHERE run = ?2 AND name = found.name ORDER BY next_offset LIMIT 1),
    (SELECT max(next_offset) FROM stream_items WHERE run = ?2 AND name = found.name)
FROM found WHERE found.name IS NOT NULL;
