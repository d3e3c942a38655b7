-- needs: 0004
-- how: concurrently
-- The runs of a schedule, the newest last. Other runs are not in this index.
CREATE INDEX CONCURRENTLY runs_by_schedule ON holdfast.runs (namespace, schedule, key) WHERE schedule IS NOT NULL;

-- The children of a run, the newest last.
CREATE INDEX CONCURRENTLY runs_by_parent_and_key ON holdfast.runs (parent, key) WHERE parent IS NOT NULL;
