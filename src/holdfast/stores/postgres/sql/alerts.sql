-- name: put_alert
INSERT INTO holdfast.alerts (namespace, name, rule, created_at, changed_at)
VALUES ($1::text, $2::text, $3::json, $4::timestamptz, $4::timestamptz)
ON CONFLICT (namespace, name) DO UPDATE SET rule = excluded.rule, changed_at = excluded.changed_at
RETURNING name, rule, created_at, changed_at;

-- name: list_alerts
SELECT name, rule, created_at, changed_at
FROM holdfast.alerts WHERE namespace = $1::text AND ($2::text IS NULL OR name = $2)
ORDER BY name;

-- name: delete_alert
DELETE FROM holdfast.alerts WHERE namespace = $1::text AND name = $2::text
RETURNING name, rule, created_at, changed_at;
