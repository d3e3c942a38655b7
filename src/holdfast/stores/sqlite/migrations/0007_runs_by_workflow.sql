-- needs: 0004
-- For listing by workflow. A run is added to the first index when it ends, and to the second only while no node has
-- it. So a run that a node starts and finishes pays for one entry, not for one with each change of its state.
-- The conditions name `finished_at`, which no other query does. A condition on `status` would make Postgres prefer
-- these indexes for looking up ended runs by key.
-- The last columns are there for counts: SQLite reads the row for each column of a condition that the index lacks.
CREATE INDEX runs_ended_by_workflow ON runs (namespace, workflow, status, key, finished_at)
    WHERE finished_at IS NOT NULL;

CREATE INDEX runs_cold_by_workflow ON runs (namespace, workflow, status, key, owner, finished_at)
    WHERE owner IS NULL AND finished_at IS NULL;
