-- needs: 0004
-- Due runs of a higher priority. Nearly all runs have 0 and are not in this index.
CREATE INDEX runs_urgent ON runs (namespace, claim, priority, wake_at)
    WHERE owner IS NULL AND wake_at IS NOT NULL AND priority > 0;

-- Failures by cause, the newest last.
CREATE INDEX runs_by_fingerprint ON runs (namespace, fingerprint, key) WHERE fingerprint IS NOT NULL;
