-- A version of a flow is a draft until it is published; every other workflow has only published ones.
ALTER TABLE holdfast.workflows ADD COLUMN status text NOT NULL DEFAULT 'published';

-- Who has made an attempt, if that was not the node.
ALTER TABLE holdfast.attempts ADD COLUMN worker text NOT NULL DEFAULT '';

-- Its versions are rows of `workflows`, with the id of the flow as their name. Ids are sorted as SQLite does,
-- whatever language the database speaks.
CREATE TABLE holdfast.flows (
    namespace   text NOT NULL,
    id          text COLLATE "C" NOT NULL,
    name        text NOT NULL,
    description text NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (namespace, id)
);

CREATE INDEX flows_by_age ON holdfast.flows (namespace, created_at);

-- Updated by every heartbeat.
CREATE TABLE holdfast.workers (
    namespace    text NOT NULL,
    id           text COLLATE "C" NOT NULL,
    url          text NOT NULL,
    services     json NOT NULL,
    type         text NOT NULL,
    load         bigint NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    is_online    boolean NOT NULL,
    PRIMARY KEY (namespace, id)
) WITH (fillfactor = 20);

-- Tasks that wait for a worker, or that one has taken. `ready_at` is when an item may be taken: the end of a
-- backoff if nobody has it, the end of the lease if `worker` has. `lease` counts those who have taken it.
CREATE TABLE holdfast.queue (
    namespace  text NOT NULL,
    run        uuid NOT NULL,
    seq        int NOT NULL,
    service    text NOT NULL,
    attempt    int NOT NULL,
    lease      int NOT NULL,
    worker     text,
    ready_at   timestamptz NOT NULL,
    taken_at   timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (run, seq)
);

-- What may be taken, the longest due first: the first entry of a service tells it, however many there are.
CREATE INDEX queue_to_take ON holdfast.queue (namespace, service, ready_at);

-- What a worker has, whose heartbeat renews it.
CREATE INDEX queue_by_worker ON holdfast.queue (namespace, worker) WHERE worker IS NOT NULL;
