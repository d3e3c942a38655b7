-- name: put_alert
INSERT INTO alerts (namespace, name, rule, created_at, changed_at)
VALUES (?1, ?2, CAST(?3 AS TEXT), ?4, ?4)
ON CONFLICT (namespace, name) DO UPDATE SET rule = excluded.rule, changed_at = excluded.changed_at
RETURNING name, CAST(rule AS BLOB), created_at, changed_at;

-- name: list_alerts
SELECT name, CAST(rule AS BLOB), created_at, changed_at
FROM alerts WHERE namespace = ?1 AND (?2 IS NULL OR name = ?2)
ORDER BY name;

-- name: delete_alert
DELETE FROM alerts WHERE namespace = ?1 AND name = ?2
RETURNING name, CAST(rule AS BLOB), created_at, changed_at;
