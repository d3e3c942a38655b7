-- name: insert_key
INSERT INTO keys (id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at, revoked_by)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: find_key
-- In any namespace: the key says which one is its own.
SELECT id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at, revoked_by
FROM keys WHERE id = ?1;

-- name: has_keys
SELECT 1 FROM keys LIMIT 1;

-- name: list_keys
SELECT id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at, revoked_by
FROM keys WHERE namespace = ?1
ORDER BY created_at DESC, id DESC;

-- name: revoke_key
-- The first who revokes a key stays the one who did.
UPDATE keys
SET revoked_at = coalesce(revoked_at, ?3), revoked_by = CASE WHEN revoked_at IS NULL THEN ?4 ELSE revoked_by END
WHERE id = ?2 AND namespace = ?1
RETURNING id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at, revoked_by;

-- name: note_key_used
UPDATE keys SET used_at = ?2 WHERE id = ?1 AND (used_at IS NULL OR used_at < ?2);

-- name: insert_audit
-- Not the rows that were sent before. They are looked up first, because a conflict would use up a number.
INSERT INTO audit (namespace, at, by, key, action, target, request, before, after, uid)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, CAST(?8 AS TEXT), CAST(?9 AS TEXT), ?10
WHERE NOT EXISTS (SELECT 1 FROM audit WHERE uid = ?10);

-- name: list_audit
SELECT number, at, by, key, action, target, request, CAST(before AS BLOB), CAST(after AS BLOB)
FROM audit WHERE namespace = ?1 AND number < ?2 AND (?3 IS NULL OR action = ?3)
ORDER BY number DESC LIMIT ?4;

-- name: list_audit_of
SELECT number, at, by, key, action, target, request, CAST(before AS BLOB), CAST(after AS BLOB)
FROM audit WHERE namespace = ?1 AND number < ?2 AND (?3 IS NULL OR action = ?3) AND target = ?5
ORDER BY number DESC LIMIT ?4;

-- name: remove_audit
-- Those of the oldest ?3 rows of the namespace that were written before ?2.
DELETE FROM audit
WHERE number IN (
    SELECT number FROM (SELECT number, at FROM audit WHERE namespace = ?1 AND number > 0 ORDER BY number LIMIT ?3)
    WHERE at < ?2
)
RETURNING 1;
