-- needs: 0004
-- The times that a run held up the event loop of its node for so long that the node gave up: which node, when, in
-- which task (NULL: in the code of the workflow), and the stack of the loop's thread. Two of them park the run.
-- They are removed when the run is resumed.
CREATE TABLE stalls (
    run   BLOB NOT NULL,
    node  TEXT NOT NULL,
    at    INTEGER NOT NULL,
    task  TEXT,
    stack TEXT NOT NULL,
    PRIMARY KEY (run, node)
) STRICT, WITHOUT ROWID;
