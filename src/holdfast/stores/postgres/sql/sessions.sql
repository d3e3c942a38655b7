-- name: insert_session
INSERT INTO holdfast.sessions (id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::timestamptz, $9::timestamptz,
        $10::timestamptz)
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: find_session
-- In any namespace: the session says which one is its own. A session ends with its key.
-- OFFSET 0 makes Postgres look up the one key. Without it, all keys would be read.
SELECT id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at
FROM holdfast.sessions
WHERE id = $1::text AND expires_at > $2::timestamptz
  AND (key IS NULL OR EXISTS (
      SELECT 1 FROM holdfast.keys
      WHERE keys.id = sessions.key AND keys.revoked_at IS NULL
        AND (keys.expires_at IS NULL OR keys.expires_at > $2)
      OFFSET 0
  ));

-- name: list_sessions
SELECT id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at
FROM holdfast.sessions
WHERE namespace = $1::text AND created_at > '-infinity' AND expires_at > $2::timestamptz
  AND (key IS NULL OR EXISTS (
      SELECT 1 FROM holdfast.keys
      WHERE keys.id = sessions.key AND keys.revoked_at IS NULL
        AND (keys.expires_at IS NULL OR keys.expires_at > $2)
      OFFSET 0
  ))
ORDER BY created_at DESC, id DESC LIMIT $3::int8;

-- name: end_session
DELETE FROM holdfast.sessions WHERE id = $2::text AND namespace = $1::text
RETURNING id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at;

-- name: note_session_used
UPDATE holdfast.sessions SET used_at = $2::timestamptz WHERE id = $1::text AND used_at < $2;

-- name: trim_sessions
-- All but the newest $2 of a subject.
DELETE FROM holdfast.sessions
WHERE id = ANY (ARRAY (
    SELECT id FROM holdfast.sessions WHERE subject = $1::text ORDER BY created_at DESC, id DESC OFFSET $2::int8
));

-- name: remove_sessions
DELETE FROM holdfast.sessions
WHERE id = ANY (ARRAY (
    SELECT id FROM holdfast.sessions WHERE expires_at <= $1::timestamptz ORDER BY expires_at LIMIT $2::int8
));
