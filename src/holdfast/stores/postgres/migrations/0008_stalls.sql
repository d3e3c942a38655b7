-- needs: 0004
-- The times that a run held up the event loop of its node for so long that the node gave up: which node, when, in
-- which task (NULL: in the code of the workflow), and the stack of the loop's thread. Two of them park the run.
-- They are removed when the run is resumed.
CREATE TABLE holdfast.stalls (
    run   uuid NOT NULL,
    node  text NOT NULL,
    at    timestamptz NOT NULL,
    task  text,
    stack text NOT NULL,
    PRIMARY KEY (run, node)
);
