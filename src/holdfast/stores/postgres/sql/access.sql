-- name: insert_key
INSERT INTO holdfast.keys (id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at,
                           revoked_by)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::timestamptz, $7::text, $8::timestamptz,
        $9::timestamptz, $10::timestamptz, $11::text)
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: find_key
-- In any namespace: the key says which one is its own.
SELECT id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at, revoked_by
FROM holdfast.keys WHERE id = $1::text;

-- name: has_keys
SELECT 1 FROM holdfast.keys LIMIT 1;

-- name: list_keys
SELECT id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at, revoked_by
FROM holdfast.keys WHERE namespace = $1::text
ORDER BY created_at DESC, id DESC;

-- name: revoke_key
-- The first who revokes a key stays the one who did.
UPDATE holdfast.keys
SET revoked_at = coalesce(revoked_at, $3::timestamptz),
    revoked_by = CASE WHEN revoked_at IS NULL THEN $4::text ELSE revoked_by END
WHERE id = $2::text AND namespace = $1::text
RETURNING id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at, revoked_by;

-- name: note_key_used
UPDATE holdfast.keys SET used_at = $2::timestamptz WHERE id = $1::text AND (used_at IS NULL OR used_at < $2);

-- name: insert_audit
-- Not the rows that were sent before. They are looked up first, because a conflict would use up a number.
-- OFFSET 0 makes Postgres look up each one. Without it, the whole index would be read.
INSERT INTO holdfast.audit (namespace, at, by, key, action, target, request, before, after, uid)
SELECT $1::text, at, by, key, action, target, request, before, after, uid
FROM unnest($2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[], $9::json[],
            $10::text[])
    WITH ORDINALITY AS sent (at, by, key, action, target, request, before, after, uid, place)
WHERE NOT EXISTS (SELECT 1 FROM holdfast.audit AS known WHERE known.uid = sent.uid OFFSET 0)
ORDER BY place
ON CONFLICT (uid) DO NOTHING;

-- name: list_audit
SELECT number, at, by, key, action, target, request, before, after
FROM holdfast.audit WHERE namespace = $1::text AND number < $2::int8 AND ($3::text IS NULL OR action = $3)
ORDER BY number DESC LIMIT $4::int8;

-- name: list_audit_of
SELECT number, at, by, key, action, target, request, before, after
FROM holdfast.audit
WHERE namespace = $1::text AND number < $2::int8 AND ($3::text IS NULL OR action = $3) AND target = $5::text
ORDER BY number DESC LIMIT $4::int8;

-- name: remove_audit
-- Those of the oldest $3 rows of the namespace that were written before $2. Two nodes may remove the same rows: the
-- second waits for the first, and finds them gone.
DELETE FROM holdfast.audit
WHERE number = ANY (ARRAY (
    SELECT number
    FROM (SELECT number, at FROM holdfast.audit WHERE namespace = $1::text AND number > 0 ORDER BY number
          LIMIT $3::int8) AS oldest
    WHERE at < $2::timestamptz
))
RETURNING 1;
