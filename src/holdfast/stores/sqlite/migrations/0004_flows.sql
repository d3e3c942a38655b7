-- A version of a flow is a draft until it is published; every other workflow has only published ones.
ALTER TABLE workflows ADD COLUMN status TEXT NOT NULL DEFAULT 'published';

-- Who has made an attempt, if that was not the node.
ALTER TABLE attempts ADD COLUMN worker TEXT NOT NULL DEFAULT '';

-- Its versions are rows of `workflows`, with the id of the flow as their name.
CREATE TABLE flows (
    namespace   TEXT NOT NULL,
    id          TEXT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX flows_by_age ON flows (namespace, created_at);

CREATE TABLE workers (
    namespace    TEXT NOT NULL,
    id           TEXT NOT NULL,
    url          TEXT NOT NULL,
    services     TEXT NOT NULL,
    type         TEXT NOT NULL,
    load         INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL,
    is_online    INTEGER NOT NULL,
    PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;

-- Tasks that wait for a worker, or that one has taken. `ready_at` is when an item may be taken: the end of a
-- backoff if nobody has it, the end of the lease if `worker` has. `lease` counts those who have taken it.
CREATE TABLE queue (
    namespace  TEXT NOT NULL,
    run        BLOB NOT NULL,
    seq        INTEGER NOT NULL,
    service    TEXT NOT NULL,
    attempt    INTEGER NOT NULL,
    lease      INTEGER NOT NULL,
    worker     TEXT,
    ready_at   INTEGER NOT NULL,
    taken_at   INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

-- What may be taken, the longest due first: the first entry of a service tells it, however many there are.
CREATE INDEX queue_to_take ON queue (namespace, service, ready_at);

-- What a worker has, whose heartbeat renews it.
CREATE INDEX queue_by_worker ON queue (namespace, worker) WHERE worker IS NOT NULL;
