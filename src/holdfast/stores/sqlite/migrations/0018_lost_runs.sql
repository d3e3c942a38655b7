-- needs: 0004
-- Runs that were taken from their node because a new run has replaced them. The node reads its rows and forgets
-- the runs. Older nodes do not read them; they find out when they commit something of the run.
CREATE TABLE lost_runs (
    node TEXT NOT NULL,
    run  BLOB NOT NULL,
    PRIMARY KEY (node, run)
) STRICT, WITHOUT ROWID;
