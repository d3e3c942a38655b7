-- The same tables as in SQLite, in a schema of their own, so that they can live in a user's database.
-- Payloads are json and not jsonb: it is kept as written, and jsonb refuses \u0000.
-- Keys of runs are UUIDv7, so that rows of one time lie side by side.

-- Creating a schema takes a right that a careful administrator gives to nobody. So it may exist.
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'holdfast') THEN
        CREATE SCHEMA holdfast;
    END IF;
END $$;

CREATE TABLE holdfast.schema_migrations (
    number     int PRIMARY KEY,
    name       text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE holdfast.runs (
    namespace   text NOT NULL,
    key         uuid NOT NULL,
    id          text,
    workflow    text NOT NULL,
    version     text NOT NULL,
    claim       text NOT NULL,
    status      text NOT NULL,
    input       json NOT NULL,
    output      json,
    failure     json,
    parent      uuid,
    parent_seq  int,
    owner       text,
    epoch       int NOT NULL,
    wake_at     timestamptz,
    waiting     text,
    created_at  timestamptz NOT NULL,
    started_at  timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (namespace, key)
);

-- A name given by the user belongs to one run.
CREATE UNIQUE INDEX runs_by_id ON holdfast.runs (namespace, id) WHERE id IS NOT NULL;

-- What a node may take, in the order in which it became due. A run leaves this index when it is
-- taken, parked or over, so that the cost of a claim does not depend on what is not due.
CREATE INDEX runs_to_claim ON holdfast.runs (namespace, claim, wake_at)
    WHERE owner IS NULL AND wake_at IS NOT NULL;

-- Whose runs to free when a node dies, and which of them have mail.
CREATE INDEX runs_by_owner ON holdfast.runs (owner, wake_at) WHERE owner IS NOT NULL;

CREATE INDEX runs_by_parent ON holdfast.runs (parent) WHERE parent IS NOT NULL;

-- For listing by state. Successful runs are most of the table and found without it.
CREATE INDEX runs_by_status ON holdfast.runs (namespace, status, key) WHERE status <> 'success';

CREATE TABLE holdfast.journal (
    run      uuid NOT NULL,
    position int NOT NULL,
    step     bytea NOT NULL,
    PRIMARY KEY (run, position)
);

-- Room is left on each page, so that settling a task finds a place beside it and touches no index.
CREATE TABLE holdfast.tasks (
    run         uuid NOT NULL,
    seq         int NOT NULL,
    name        text NOT NULL,
    status      text NOT NULL,
    attempt     int NOT NULL,
    lost        int NOT NULL,
    forgiven    int NOT NULL DEFAULT 0,
    input       json NOT NULL,
    output      json,
    failure     json,
    heartbeat   json,
    due_at      timestamptz,
    created_at  timestamptz NOT NULL,
    started_at  timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (run, seq)
) WITH (fillfactor = 60);

-- Attempts that did not succeed; one that did is the task's own row.
CREATE TABLE holdfast.attempts (
    run         uuid NOT NULL,
    seq         int NOT NULL,
    attempt     int NOT NULL,
    status      text NOT NULL,
    failure     json,
    started_at  timestamptz,
    finished_at timestamptz NOT NULL,
    node        text NOT NULL,
    PRIMARY KEY (run, seq, attempt)
);

CREATE TABLE holdfast.state (
    run   uuid NOT NULL,
    key   text NOT NULL,
    value json NOT NULL,
    PRIMARY KEY (run, key)
);

CREATE TABLE holdfast.messages (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run     uuid NOT NULL,
    kind    text NOT NULL,
    name    text NOT NULL,
    payload json NOT NULL,
    taken   int
);

CREATE INDEX messages_by_run ON holdfast.messages (run, id);

-- A promise is settled once.
CREATE UNIQUE INDEX messages_settle_once ON holdfast.messages (run, name)
    WHERE kind IN ('resolved', 'rejected');

-- Updated by every commit of its node.
CREATE TABLE holdfast.nodes (
    id          text PRIMARY KEY,
    namespace   text NOT NULL,
    tick        bigint NOT NULL,
    lease_until timestamptz NOT NULL,
    started_at  timestamptz NOT NULL
) WITH (fillfactor = 20);

CREATE TABLE holdfast.workflows (
    namespace  text NOT NULL,
    name       text NOT NULL,
    version    text NOT NULL,
    kind       text NOT NULL,
    hash       text NOT NULL,
    source     text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (namespace, name, version)
);
