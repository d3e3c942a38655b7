-- name: insert_session
INSERT INTO sessions (id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT DO NOTHING
RETURNING 1;

-- name: find_session
-- In any namespace: the session says which one is its own. A session ends with its key.
SELECT id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at
FROM sessions
WHERE id = ?1 AND expires_at > ?2
  AND (key IS NULL OR EXISTS (
      SELECT 1 FROM keys
      WHERE keys.id = sessions.key AND keys.revoked_at IS NULL
        AND (keys.expires_at IS NULL OR keys.expires_at > ?2)
  ));

-- name: list_sessions
SELECT id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at
FROM sessions
WHERE namespace = ?1 AND created_at > 0 AND expires_at > ?2
  AND (key IS NULL OR EXISTS (
      SELECT 1 FROM keys
      WHERE keys.id = sessions.key AND keys.revoked_at IS NULL
        AND (keys.expires_at IS NULL OR keys.expires_at > ?2)
  ))
ORDER BY created_at DESC, id DESC LIMIT ?3;

-- name: end_session
DELETE FROM sessions WHERE id = ?2 AND namespace = ?1
RETURNING id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at;

-- name: note_session_used
UPDATE sessions SET used_at = ?2 WHERE id = ?1 AND used_at < ?2;

-- name: trim_sessions
-- All but the newest ?2 of a subject.
DELETE FROM sessions
WHERE id IN (SELECT id FROM sessions WHERE subject = ?1 ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?2);

-- name: remove_sessions
DELETE FROM sessions
WHERE id IN (SELECT id FROM sessions WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2);
