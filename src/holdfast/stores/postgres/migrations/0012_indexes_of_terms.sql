-- needs: 0004
-- how: concurrently
-- Due runs of a higher priority. Nearly all runs have 0 and are not in this index.
CREATE INDEX CONCURRENTLY runs_urgent ON holdfast.runs (namespace, claim, priority, wake_at)
    WHERE owner IS NULL AND wake_at IS NOT NULL AND priority > 0;

-- Failures by cause, the newest last.
CREATE INDEX CONCURRENTLY runs_by_fingerprint ON holdfast.runs (namespace, fingerprint, key) WHERE fingerprint IS NOT NULL;
