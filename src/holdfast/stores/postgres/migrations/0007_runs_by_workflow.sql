-- needs: 0004
-- how: concurrently
-- For listing by workflow. A run is added to the first index when it ends, and to the second only while no node has
-- it. So a run that a node starts and finishes pays for one entry, not for one with each change of its state.
-- The conditions name `finished_at`, which no other query does. A condition on `status` would make Postgres prefer
-- these indexes for looking up ended runs by key.
-- COLLATE "C" compares bytes: with the rules of a language, an entry took five times as long.
CREATE INDEX CONCURRENTLY runs_ended_by_workflow
    ON holdfast.runs (namespace, workflow COLLATE "C", status COLLATE "C", key)
    WHERE finished_at IS NOT NULL;

CREATE INDEX CONCURRENTLY runs_cold_by_workflow
    ON holdfast.runs (namespace, workflow COLLATE "C", status COLLATE "C", key)
    WHERE owner IS NULL AND finished_at IS NULL;
