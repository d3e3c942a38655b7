-- holdfast 0.4.0 on postgres, made by `python -m tests.compat.record`. Never edited.
-- migration 0001 kernel
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
-- end of migration
-- migration 0002 setbacks
-- How many nodes in a row have taken a run and come to nothing with it: they died, or had code that did
-- not fit it. Such runs are taken in ever smaller company, and not for ever.
ALTER TABLE holdfast.runs ADD COLUMN setbacks int NOT NULL DEFAULT 0;
-- end of migration
-- migration 0003 dags
-- What tasks have said: a row holds some lines of one attempt, as JSON. Whoever follows a log asks for what came
-- after the last number seen; the rows of one run are written by one node at a time, so their numbers rise.
CREATE TABLE holdfast.logs (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run     uuid NOT NULL,
    seq     int NOT NULL,
    attempt int NOT NULL,
    lines   json NOT NULL
);

CREATE INDEX logs_by_run ON holdfast.logs (run, number);

-- Where a workflow was found last: a file, or module:name.
ALTER TABLE holdfast.workflows ADD COLUMN origin text NOT NULL DEFAULT '';

-- How many runs are above a run in its family.
ALTER TABLE holdfast.runs ADD COLUMN depth int NOT NULL DEFAULT 0;

-- `cursor` is the last tick that was dealt with, `queued` the ticks that wait for the run `active` to end, and
-- `revision` counts the changes: of two nodes that decide at the same time one is refused.
CREATE TABLE holdfast.schedules (
    namespace  text NOT NULL,
    name       text NOT NULL,
    workflow   text NOT NULL,
    input      json NOT NULL,
    plan       json NOT NULL,
    origin     text NOT NULL,
    is_paused  boolean NOT NULL,
    revision   int NOT NULL,
    cursor     timestamptz NOT NULL,
    queued     text NOT NULL,
    active     uuid,
    next_at    timestamptz,
    skipped    bigint NOT NULL,
    skip_note  text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (namespace, name)
);
-- end of migration
-- migration 0004 flows
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
-- end of migration
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:00:10+00', '2030-01-01 00:00:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000002', '0', '1', 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000000b', '0', '1', 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '1', '1', 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:00:10+00', '2030-01-01 00:00:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:01:10+00', '2030-01-01 00:01:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:02:10+00', '2030-01-01 00:02:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:03:10+00', '2030-01-01 00:03:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:04:10+00', '2030-01-01 00:04:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '1', '1', 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '1', '1', 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '1', '1', 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '1', '1', 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '1', '1', 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:05:10+00', '2030-01-01 00:05:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '11', '1', 'success', NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', 'node:2265b1f5', 'worker');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '3', '1', 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:06:10+00', '2030-01-01 00:06:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '3', '1', 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '3', '1', 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '3', '1', 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002c', '0', '1', 'failed', '{"type":"builtins:ValueError","message":"not None","traceback":"left out"}', '2030-01-01 00:06:31+00', '2030-01-01 00:06:31+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002c', '1', '1', 'failed', '{"type":"builtins:ValueError","message":"not None","traceback":"left out"}', '2030-01-01 00:06:31+00', '2030-01-01 00:06:31+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002d', '0', '1', 'failed', '{"type":"builtins:ValueError","message":"not None","traceback":"left out"}', '2030-01-01 00:06:41+00', '2030-01-01 00:06:41+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002d', '1', '1', 'failed', '{"type":"builtins:ValueError","message":"not None","traceback":"left out"}', '2030-01-01 00:06:41+00', '2030-01-01 00:06:41+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '3', '1', 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:07:10+00', '2030-01-01 00:07:10+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000003a', '0', '1', 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '1', '1', 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000003c', '1', '1', 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '5', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '5', '2', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', '2030-01-01 00:08:11+00', '2030-01-01 00:08:11+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-00000000003f', '2', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', 'node:2265b1f5', '');
INSERT INTO holdfast.attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker) VALUES ('37a8eec1-ce19-687d-0000-000000000040', '2', '1', 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', 'node:2265b1f5', '');
INSERT INTO holdfast.flows (namespace, id, name, description, created_at) VALUES ('default', 'refused flow', 'refused flow', '', '2030-01-01 00:05:41+00');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '0', '\x93cf0006ba1694472000909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '1', '\x93cf0006ba16944720009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '2', '\x93cf0006ba16944720009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '3', '\x93cf0006ba16944720009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '4', '\x93cf0006ba169610e3809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16965d2ec0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '5', '\x93cf0006ba16965d2ec09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000002', '0', '\x93cf0006ba1694472000909194a15400a76465636c696e6580');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000002', '1', '\x93cf0006ba16944720009192a174009192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000003', '0', '\x93cf0006ba1694472000909194a15400a46563686f80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000003', '1', '\x93cf0006ba16944720009192a1740090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000003', '2', '\x93cf0006ba16944720009192a16d029192a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000004', '0', '\x93cf0006ba1694472000909192a153a96c697374656e696e67');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000004', '1', '\x93cf0006ba16944720009392a16d0892a16d0992a16d0a9193a15700cf0006ba169610e380');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000004', '2', '\x93cf0006ba169610e3809192a166009194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000004', '3', '\x93cf0006ba169610e3809192a174009192a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000005', '0', '\x93cf0006ba16944720009090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000005', '1', '\x93cf0006ba16944720009292a16d0392a16d049192a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000006', '0', '\x93cf0006ba1694472000909394a14800a96c697374656e696e67c294a14801a96c697374656e696e67c394a14802a57374657073c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000006', '1', '\x93cf0006ba16944720009193a16302c39194a14803a76661696c696e67c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000006', '2', '\x93cf0006ba16944720009193a16303c39194a14804a57374657073c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000006', '3', '\x93cf0006ba169610e3809193a16300c290');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000006', '4', '\x93cf0006ba16965d2ec09193a16304c29192a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000007', '0', '\x93cf0006ba1694472000909192a153a96c697374656e696e67');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000007', '1', '\x93cf0006ba16944720009392a16d0b92a16d0c92a16d0d9193a15700cf0006ba169610e380');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000007', '2', '\x93cf0006ba169610e3809192a166009194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000007', '3', '\x93cf0006ba169610e3809192a174009192a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000008', '0', '\x93cf0006ba1694472000909192a153a96c697374656e696e67');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000a', '0', '\x93cf0006ba16944720009090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000a', '1', '\x93cf0006ba16944720009292a16d0592a16d069194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000a', '2', '\x93cf0006ba16944720009192a174009192a145a963616e63656c6c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000b', '0', '\x93cf0006ba1694472000909194a15400a76465636c696e6580');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000b', '1', '\x93cf0006ba16944720009192a174009192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '0', '\x93cf0006ba1694472000909292a153a47374657094a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '1', '\x93cf0006ba16944720009192a174009194a15401b17365636f6e645f74696d655f6c75636b7980');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '2', '\x93cf0006ba16944720009192a174019192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '3', '\x93cf0006ba16944720009197a17202020000909090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '4', '\x93cf0006ba16944720009192a16d079192a153a473746570');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '5', '\x93cf0006ba16944720009192a174019292a153a47374657094a15402a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '6', '\x93cf0006ba16944720009192a174029192a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '0', '\x93cf0006ba1694472000909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '1', '\x93cf0006ba16944720009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '2', '\x93cf0006ba16944720009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '3', '\x93cf0006ba16944720009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '4', '\x93cf0006ba169610e3809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16965d2ec0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '5', '\x93cf0006ba16965d2ec09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000e', '0', '\x93cf0006ba1697daa700909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000e', '1', '\x93cf0006ba1697daa7009192a174009193a15700cf0006ba2ab5b20700');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '0', '\x93cf0006ba1697daa700909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '1', '\x93cf0006ba1697daa7009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '2', '\x93cf0006ba1697daa7009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '3', '\x93cf0006ba1697daa7009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '4', '\x93cf0006ba1699a46a809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba1699f0b5c0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '5', '\x93cf0006ba1699f0b5c09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '0', '\x93cf0006ba169b6e2e00909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '1', '\x93cf0006ba169b6e2e009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '2', '\x93cf0006ba169b6e2e009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '3', '\x93cf0006ba169b6e2e009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '4', '\x93cf0006ba169d37f1809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba169d843cc0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '5', '\x93cf0006ba169d843cc09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000011', '0', '\x93cf0006ba169b6e2e00909294a15400a4686f6c6483a774696d656f7574a3503344a9686561727462656174a3503244a87072696f726974790393a15700cf0006ba169b9bf4c0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000011', '1', '\x93cf0006ba169b9bf4c09192a166009392a243540094a15401a4686f6c6483a774696d656f7574a3503344a9686561727462656174a3503244a87072696f726974790393a15701cf0006ba169c06c480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000011', '2', '\x93cf0006ba169c06c4809192a166019392a243540193a15702cf0006ba169f9a4b8094a15402a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000011', '3', '\x93cf0006ba169c06c4809192a174029392a243570294a14800a96c697374656e696e67c293a15703cf0006ba169c1606c0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000011', '4', '\x93cf0006ba169c1606c09192a166039292a243480092a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000012', '0', '\x93cf0006ba169c06c480909192a153a96c697374656e696e67');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000012', '1', '\x93cf0006ba169c1606c09192a16d109192a145a963616e63656c6c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '0', '\x93cf0006ba169f01b500909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '1', '\x93cf0006ba169f01b5009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '2', '\x93cf0006ba169f01b5009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '3', '\x93cf0006ba169f01b5009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '4', '\x93cf0006ba16a0cb78809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16a117c3c0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '5', '\x93cf0006ba16a117c3c09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '0', '\x93cf0006ba16a032e200909493a15700cf0006c1291deaa20094a15400a47061636b8093a14f01a47265737493a15701cf0006ba16a1fca580');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '1', '\x93cf0006ba16a032e2009192a174009194a15402a47061636b80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '2', '\x93cf0006ba16a032e2009192a174029293a14c03a672657475726e94a15404a56c6162656c80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '3', '\x93cf0006ba16a032e2009192a174049293a14f05a46761746593a15702cf0006becd9ead6200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '4', '\x93cf0006ba16a032e2009292a16d1192a16d129492a243570293a14c05a46761746593a14f06a2676f93a14c06a2676f');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '5', '\x93cf0006ba16a1fca5809192a166019393a14c01a47265737493a14f07a463616c6c94a14800a8736c656570696e67c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '6', '\x93cf0006ba16a1fca5809193a16300c29393a14c07a463616c6c93a14c08a76e6f7468696e6792a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000015', '0', '\x93cf0006ba16a1fca580909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000015', '1', '\x93cf0006ba16a1fca5809192a174009194a15401a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000015', '2', '\x93cf0006ba16a1fca5809192a174019192a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '0', '\x93cf0006ba16a2953c00909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '1', '\x93cf0006ba16a2953c009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '2', '\x93cf0006ba16a2953c009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '3', '\x93cf0006ba16a2953c009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '4', '\x93cf0006ba16a45eff809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16a4ab4ac0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '5', '\x93cf0006ba16a4ab4ac09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '0', '\x93cf0006ba16a2953c00909493a15700cf0006c129204cfc0094a15400a47061636b8093a14f01a47265737493a15701cf0006ba16a45eff80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '1', '\x93cf0006ba16a2953c009192a174009194a15402a47061636b80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '2', '\x93cf0006ba16a2953c009192a174029293a14c03a672657475726e94a15404a56c6162656c80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '3', '\x93cf0006ba16a2953c009192a174049293a14f05a46761746593a15702cf0006becda10fbc00');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '4', '\x93cf0006ba16a2953c009292a16d1492a16d159492a243570293a14c05a46761746593a14f06a2676f93a14c06a2676f');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '5', '\x93cf0006ba16a45eff809192a166019393a14c01a47265737493a14f07a463616c6c94a14800a8736c656570696e67c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000018', '0', '\x93cf0006ba16a45eff80909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000018', '1', '\x93cf0006ba16a45eff809192a174009193a15700cf0006ba2ac2365f80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '0', '\x93cf0006ba16a4f79600909493a15700cf0006c12922af560094a15400a47061636b8093a14f01a47265737493a15701cf0006ba16a6c15980');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '1', '\x93cf0006ba16a4f796009192a174009194a15402a47061636b80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '2', '\x93cf0006ba16a4f796009192a174029293a14c03a672657475726e94a15404a56c6162656c80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '3', '\x93cf0006ba16a4f796009192a174049293a14f05a46761746593a15702cf0006becda3721600');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '4', '\x93cf0006ba16a6c159809192a166019193a14c01a472657374');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '0', '\x93cf0006ba16a4f79600909493a15700cf0006c12922af560094a15400a47061636b8093a14f01a47265737493a15701cf0006ba16a6c15980');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '1', '\x93cf0006ba16a4f796009192a174009194a15402a47061636b80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '2', '\x93cf0006ba16a4f796009192a174029293a14c03a672657475726e94a15404a56c6162656c80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '3', '\x93cf0006ba16a4f796009192a174049293a14f05a46761746593a15702cf0006becda3721600');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '4', '\x93cf0006ba16a4f796009192a16d169392a243570293a14c05a46761746593a14f06a2676f');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '5', '\x93cf0006ba16a6c159809192a166019193a14c01a472657374');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '0', '\x93cf0006ba16a4f79600909493a15700cf0006c12922af560094a15400a47061636b8093a14f01a47265737493a15701cf0006ba16a6c15980');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '1', '\x93cf0006ba16a4f796009192a174009194a15402a47061636b80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '2', '\x93cf0006ba16a4f796009192a174029293a14c03a672657475726e94a15404a56c6162656c80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '3', '\x93cf0006ba16a4f796009192a174049293a14f05a46761746593a15702cf0006becda3721600');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '4', '\x93cf0006ba16a4f796009192a16d179393a14c01a47265737493a14c05a46761746592a145a963616e63656c6c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '0', '\x93cf0006ba16a506d840909194a15400a5666972737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '1', '\x93cf0006ba16a506d8409192a174009194a15401a362616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '2', '\x93cf0006ba16a506d8409192a174019293a14c02a5616674657294a15403a46c61737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '3', '\x93cf0006ba16a506d8409192a174039192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '0', '\x93cf0006ba16a506d840909194a15400a5666972737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '1', '\x93cf0006ba16a506d8409192a174009194a15401a362616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '2', '\x93cf0006ba16a506d8409192a174019293a14c02a5616674657294a15403a46c61737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '3', '\x93cf0006ba16a506d8409192a174039192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '4', '\x93cf0006ba16a506d8409197a1720404000091019090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '5', '\x93cf0006ba16a506d840909192a15201');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '6', '\x93cf0006ba16a506d8409192a174019193a14f04a56166746572');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '0', '\x93cf0006ba16a506d840909194a15400a5666972737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '1', '\x93cf0006ba16a506d8409192a174009194a15401a362616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '2', '\x93cf0006ba16a506d8409192a174019293a14c02a5616674657294a15403a46c61737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '3', '\x93cf0006ba16a506d8409192a174039192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '4', '\x93cf0006ba16a506d8409197a1720404000091019090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '5', '\x93cf0006ba16a506d840909192a15201');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '6', '\x93cf0006ba16a506d8409192a174019193a14f04a56166746572');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '7', '\x93cf0006ba16a506d8409192a16d189293a14c04a5616674657292a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001f', '0', '\x93cf0006ba16a506d840909293a14f00a463616c6c94a14800a766726167696c65c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001f', '1', '\x93cf0006ba16a506d8409193a16300c39393a14c00a463616c6c93a14f01a463616c6c94a14801a766726167696c65c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001f', '2', '\x93cf0006ba16a506d8409193a16301c39293a14c01a463616c6c92a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001f', '3', '\x93cf0006ba16a506d8409197a172030200029092000190');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000001f', '4', '\x93cf0006ba16a506d840909293a14f02a463616c6c92a2524300');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '0', '\x93cf0006ba16a506d840909194a15400a5666972737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '1', '\x93cf0006ba16a506d8409192a174009194a15401a362616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '2', '\x93cf0006ba16a506d8409192a174019293a14c02a5616674657294a15403a46c61737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '3', '\x93cf0006ba16a506d8409192a174039192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '4', '\x93cf0006ba16a506d8409197a1720404000091019090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '5', '\x93cf0006ba16a506d840909192a15201');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '6', '\x93cf0006ba16a506d8409192a174019193a14f04a56166746572');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '0', '\x93cf0006ba16a506d840909194a15400a5666972737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '1', '\x93cf0006ba16a506d8409192a174009194a15401a362616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '2', '\x93cf0006ba16a506d8409192a174019293a14c02a5616674657294a15403a46c61737480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '3', '\x93cf0006ba16a506d8409192a174039192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '4', '\x93cf0006ba16a506d8409197a1720404000091019090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000022', '0', '\x93cf0006ba16a506d840909193a14f00a467617465');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000023', '0', '\x93cf0006ba16a506d840909194a15400a474616c6b80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000023', '1', '\x93cf0006ba16a506d8409192a1740090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '0', '\x93cf0006ba16a628c300909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '1', '\x93cf0006ba16a628c3009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '2', '\x93cf0006ba16a628c3009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '3', '\x93cf0006ba16a628c3009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '4', '\x93cf0006ba16a7f286809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16a83ed1c0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '5', '\x93cf0006ba16a83ed1c09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000025', '0', '\x93cf0006ba16a89a5f40909493a14c00a5726f75746593a14f01a5736d616c6c94a14800a57374657073c292a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000025', '1', '\x93cf0006ba16aab06e009193a16300c29393a14c01a5736d616c6c92a153a724637572736f7292a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '0', '\x93cf0006ba16a89a5f40909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '1', '\x93cf0006ba16a89a5f409192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '2', '\x93cf0006ba16a89a5f409392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '3', '\x93cf0006ba16a89a5f409192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '4', '\x93cf0006ba16aa6422c09192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16aab06e00');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '5', '\x93cf0006ba16aab06e009192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '0', '\x93cf0006ba16a932f5c0909593a14c00a5726f75746593a14f01a6636865636b7394a15402ad636865636b732f6272616e63688094a15403ad636865636b732f6272616e63688092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '1', '\x93cf0006ba16a932f5c09292a1740292a174039593a14c01a6636865636b7393a14f04a46561636894a15405a9656163682f6974656d8092a153a6636865636b7392a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '2', '\x93cf0006ba16a932f5c09192a174059194a15406a9656163682f6974656d80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '3', '\x93cf0006ba16a932f5c09192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16a97f410092a153a7636f756e74656492a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '4', '\x93cf0006ba16a97f41009192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c246234cd10092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '5', '\x93cf0006ba16a9cb8c409292a16d1b92a16d1c9a92a243570193a14c09a96465736b2f7061696493a14f0aac6465736b2f636f6e6669726d93a14c0aac6465736b2f636f6e6669726d93a14c08a46465736b94a1540ba47061636b81a773657276696365a77061636b696e6792a153a47061696492a153a7636f6e6669726d92a153a46465736b92a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '6', '\x93cf0006ba16a9cb8c409192a1740b9392a153a67061636b656492a153a724637572736f7292a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '0', '\x93cf0006ba16a9bc4a00909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '1', '\x93cf0006ba16a9bc4a009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '2', '\x93cf0006ba16a9bc4a009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '3', '\x93cf0006ba16a9bc4a009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '4', '\x93cf0006ba16ab860d809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16abd258c0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '5', '\x93cf0006ba16abd258c09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '0', '\x93cf0006ba16a9cb8c40909593a14c00a5726f75746593a14f01a6636865636b7394a15402ad636865636b732f6272616e63688094a15403ad636865636b732f6272616e63688092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '1', '\x93cf0006ba16a9cb8c409292a1740292a174039593a14c01a6636865636b7393a14f04a46561636894a15405a9656163682f6974656d8092a153a6636865636b7392a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '2', '\x93cf0006ba16a9cb8c409192a174059194a15406a9656163682f6974656d80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '3', '\x93cf0006ba16a9cb8c409192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16aa17d78092a153a7636f756e74656492a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '4', '\x93cf0006ba16aa17d7809192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c24623e5678092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '0', '\x93cf0006ba16aa6422c0909593a14c00a5726f75746593a14f01a6636865636b7394a15402ad636865636b732f6272616e63688094a15403ad636865636b732f6272616e63688092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '1', '\x93cf0006ba16aa6422c09292a1740292a174039593a14c01a6636865636b7393a14f04a46561636894a15405a9656163682f6974656d8092a153a6636865636b7392a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '2', '\x93cf0006ba16aa6422c09192a174059194a15406a9656163682f6974656d80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '3', '\x93cf0006ba16aa6422c09192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16aab06e0092a153a7636f756e74656492a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '4', '\x93cf0006ba16aab06e009192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c246247dfe0092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '5', '\x93cf0006ba16aafcb9409192a16d1f9592a243570193a14c09a96465736b2f7061696493a14f0aac6465736b2f636f6e6669726d92a153a47061696492a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '0', '\x93cf0006ba16aafcb940909593a14c00a5726f75746593a14f01a6636865636b7394a15402ad636865636b732f6272616e63688094a15403ad636865636b732f6272616e63688092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '1', '\x93cf0006ba16aafcb9409292a1740292a174039593a14c01a6636865636b7393a14f04a46561636894a15405a9656163682f6974656d8092a153a6636865636b7392a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '2', '\x93cf0006ba16aafcb9409192a174059194a15406a9656163682f6974656d80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '3', '\x93cf0006ba16aafcb9409192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16ab49048092a153a7636f756e74656492a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '4', '\x93cf0006ba16ab4904809192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c2462516948092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '5', '\x93cf0006ba16ab954fc09192a16d209493a14c09a96465736b2f7061696493a155909093a14c08a46465736b92a145a963616e63656c6c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002c', '0', '\x93cf0006ba16ab954fc0909294a15400a566697273748092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002c', '1', '\x93cf0006ba16ab954fc09192a174009294a15401a46c6173748092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002c', '2', '\x93cf0006ba16ab954fc09192a174019293a15591019092a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002d', '0', '\x93cf0006ba16ac2de640909294a15400a566697273748092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002d', '1', '\x93cf0006ba16ac2de6409192a174009294a15401a46c6173748092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002d', '2', '\x93cf0006ba16ac2de6409192a174019293a15591019092a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '0', '\x93cf0006ba16acc67cc0909593a14c00a5726f75746593a14f01a6636865636b7394a15402ad636865636b732f6272616e63688094a15403ad636865636b732f6272616e63688092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '1', '\x93cf0006ba16acc67cc09292a1740292a174039593a14c01a6636865636b7393a14f04a46561636894a15405a9656163682f6974656d8092a153a6636865636b7392a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '2', '\x93cf0006ba16acc67cc09192a174059194a15406a9656163682f6974656d80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '3', '\x93cf0006ba16acc67cc09192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16ad12c80092a153a7636f756e74656492a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '4', '\x93cf0006ba16ad12c8009192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c24626e0580092a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '5', '\x93cf0006ba16ad5f13409192a16d219592a243570193a14c09a96465736b2f7061696493a14f0aac6465736b2f636f6e6669726d92a153a47061696492a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '6', '\x93cf0006ba16ad5f13409192a16d229693a14c0aac6465736b2f636f6e6669726d93a14c08a46465736b94a1540ba47061636b81a773657276696365a77061636b696e6792a153a7636f6e6669726d92a153a46465736b92a153a724637572736f72');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '0', '\x93cf0006ba16ad4fd100909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '1', '\x93cf0006ba16ad4fd1009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '2', '\x93cf0006ba16ad4fd1009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '3', '\x93cf0006ba16ad4fd1009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '4', '\x93cf0006ba16af1994809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16af65dfc0');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '5', '\x93cf0006ba16af65dfc09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000030', '0', '\x93cf0006ba16b0f29a40909192a153a96c697374656e696e67');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000031', '0', '\x93cf0006ba16b0f29a40909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000031', '1', '\x93cf0006ba16b0f29a409192a174009193a15700cf0006bc72302fda40');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000032', '0', '\x93cf0006ba16b0f29a40909194a15400a46563686f80');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000032', '1', '\x93cf0006ba16b0f29a409192a1740090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000033', '0', '\x93cf0006ba16b0f29a409090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000033', '1', '\x93cf0006ba16b0f29a409192a16d2490');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000034', '0', '\x93cf0006ba16b0f29a409090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000035', '0', '\x93cf0006ba16b0f29a40909394a14800a96c697374656e696e67c294a14801a96c697374656e696e67c394a14802a57374657073c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000035', '1', '\x93cf0006ba16b0f29a409193a16302c39194a14803a76661696c696e67c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000035', '2', '\x93cf0006ba16b0f29a409193a16303c39194a14804a57374657073c2');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000035', '3', '\x93cf0006ba16b308a9009193a16304c290');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000036', '0', '\x93cf0006ba16b0f29a40909192a153a96c697374656e696e67');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000037', '0', '\x93cf0006ba16b0f29a40909192a153a96c697374656e696e67');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000039', '0', '\x93cf0006ba16b0f29a409090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000039', '1', '\x93cf0006ba16b0f29a409192a16d259194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000039', '2', '\x93cf0006ba16b0f29a409192a1740090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003a', '0', '\x93cf0006ba16b0f29a40909194a15400a76465636c696e6580');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003a', '1', '\x93cf0006ba16b0f29a409192a174009192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '0', '\x93cf0006ba16b0f29a40909292a153a47374657094a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '1', '\x93cf0006ba16b0f29a409192a174009194a15401b17365636f6e645f74696d655f6c75636b7980');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '2', '\x93cf0006ba16b0f29a409192a174019192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '3', '\x93cf0006ba16b0f29a409197a17202020000909090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '4', '\x93cf0006ba16b0f29a40909192a153a473746570');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '5', '\x93cf0006ba16b0f29a409192a174019192a153a473746570');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003c', '0', '\x93cf0006ba16b0f29a40909292a153a47374657094a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003c', '1', '\x93cf0006ba16b0f29a409192a174009194a15401b17365636f6e645f74696d655f6c75636b7980');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003c', '2', '\x93cf0006ba16b0f29a409192a174019192a145a66661696c6564');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003d', '0', '\x93cf0006ba16b0f29a40909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003d', '1', '\x93cf0006ba16b0f29a409192a1740090');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '0', '\x93cf0006ba16b0f29a40909194a15400a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '1', '\x93cf0006ba16b0f29a409192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '2', '\x93cf0006ba16b0f29a409392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '3', '\x93cf0006ba16b0f29a409192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '4', '\x93cf0006ba16b2bc5dc09192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16b308a900');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '5', '\x93cf0006ba16b308a9009192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-00000000003f', '0', '\x93cf0006ba16b4862140909394a15400a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f726974790394a15401a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f726974790394a15402b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000040', '0', '\x93cf0006ba16b4862140909394a15400a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f726974790394a15401a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f726974790394a15402b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000041', '0', '\x93cf0006ba16b4862140909192a153a96c697374656e696e67');
INSERT INTO holdfast.journal (run, position, step) VALUES ('37a8eec1-ce19-687d-0000-000000000042', '0', '\x93cf0006ba16b4862140909393a14f00a47265737493a15700cf0006ba2ad25d814094a15401a4686f6c6480');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('1', '37a8eec1-ce19-687d-0000-000000000014', '0', '1', '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('10', '37a8eec1-ce19-687d-0000-00000000001a', '0', '1', '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('11', '37a8eec1-ce19-687d-0000-00000000001a', '2', '1', '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('12', '37a8eec1-ce19-687d-0000-00000000001a', '4', '1', '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('13', '37a8eec1-ce19-687d-0000-00000000001b', '0', '1', '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('14', '37a8eec1-ce19-687d-0000-00000000001b', '2', '1', '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('15', '37a8eec1-ce19-687d-0000-00000000001b', '4', '1', '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('16', '37a8eec1-ce19-687d-0000-00000000001c', '0', '1', '[[1893456000000000,"stdout","first"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('17', '37a8eec1-ce19-687d-0000-00000000001c', '1', '1', '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('18', '37a8eec1-ce19-687d-0000-00000000001c', '3', '1', '[[1893456000000000,"stdout","last"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('19', '37a8eec1-ce19-687d-0000-00000000001d', '0', '1', '[[1893456000000000,"stdout","first"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('2', '37a8eec1-ce19-687d-0000-000000000014', '2', '1', '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('20', '37a8eec1-ce19-687d-0000-00000000001d', '1', '1', '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('21', '37a8eec1-ce19-687d-0000-00000000001d', '3', '1', '[[1893456000000000,"stdout","last"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('22', '37a8eec1-ce19-687d-0000-00000000001e', '0', '1', '[[1893456000000000,"stdout","first"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('23', '37a8eec1-ce19-687d-0000-00000000001e', '1', '1', '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('24', '37a8eec1-ce19-687d-0000-00000000001e', '3', '1', '[[1893456000000000,"stdout","last"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('25', '37a8eec1-ce19-687d-0000-00000000001d', '1', '2', '[[1893456000000000,"stdout","attempt 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('26', '37a8eec1-ce19-687d-0000-00000000001e', '1', '2', '[[1893456000000000,"stdout","attempt 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('27', '37a8eec1-ce19-687d-0000-000000000020', '0', '1', '[[1893456000000000,"stdout","first"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('28', '37a8eec1-ce19-687d-0000-000000000020', '1', '1', '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('29', '37a8eec1-ce19-687d-0000-000000000020', '3', '1', '[[1893456000000000,"stdout","last"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('3', '37a8eec1-ce19-687d-0000-000000000014', '4', '1', '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('30', '37a8eec1-ce19-687d-0000-000000000021', '0', '1', '[[1893456000000000,"stdout","first"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('31', '37a8eec1-ce19-687d-0000-000000000021', '1', '1', '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('32', '37a8eec1-ce19-687d-0000-000000000021', '3', '1', '[[1893456000000000,"stdout","last"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('33', '37a8eec1-ce19-687d-0000-000000000020', '1', '2', '[[1893456000000000,"stdout","attempt 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('34', '37a8eec1-ce19-687d-0000-000000000023', '0', '1', '[[1893456000000000,"WARNING","said hello"],[1893456000000000,"WARNING","twice"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('35', '37a8eec1-ce19-687d-0000-000000000042', '1', '1', '[[1893456000000000,"stdout","holding"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('4', '37a8eec1-ce19-687d-0000-000000000017', '0', '1', '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('5', '37a8eec1-ce19-687d-0000-000000000017', '2', '1', '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('6', '37a8eec1-ce19-687d-0000-000000000017', '4', '1', '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('7', '37a8eec1-ce19-687d-0000-000000000019', '0', '1', '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('8', '37a8eec1-ce19-687d-0000-000000000019', '2', '1', '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO holdfast.logs (number, run, seq, attempt, lines) OVERRIDING SYSTEM VALUE VALUES ('9', '37a8eec1-ce19-687d-0000-000000000019', '4', '1', '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('1', '37a8eec1-ce19-687d-0000-000000000006', 'child', '3', 'null', '2');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('10', '37a8eec1-ce19-687d-0000-000000000004', 'signal', 'go', '3', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('11', '37a8eec1-ce19-687d-0000-000000000007', 'signal', 'go', '1', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('12', '37a8eec1-ce19-687d-0000-000000000007', 'signal', 'go', '2', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('13', '37a8eec1-ce19-687d-0000-000000000007', 'signal', 'go', '3', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('14', '37a8eec1-ce19-687d-0000-000000000006', 'child', '0', 'null', '3');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('15', '37a8eec1-ce19-687d-0000-000000000006', 'child', '4', 'null', '4');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('16', '37a8eec1-ce19-687d-0000-000000000012', 'cancel', '', '"its parent cancelled it"', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('17', '37a8eec1-ce19-687d-0000-000000000014', 'resolved', 'gate', 'true', '4');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('18', '37a8eec1-ce19-687d-0000-000000000014', 'signal', 'go', 'null', '4');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('19', '37a8eec1-ce19-687d-0000-000000000014', 'child', '0', 'null', '6');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('2', '37a8eec1-ce19-687d-0000-000000000003', 'signal', 'go', 'null', '2');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('20', '37a8eec1-ce19-687d-0000-000000000017', 'resolved', 'gate', 'true', '4');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('21', '37a8eec1-ce19-687d-0000-000000000017', 'signal', 'go', 'null', '4');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('22', '37a8eec1-ce19-687d-0000-00000000001a', 'resolved', 'gate', 'true', '4');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('23', '37a8eec1-ce19-687d-0000-00000000001b', 'cancel', '', '"not today"', '4');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('24', '37a8eec1-ce19-687d-0000-00000000001e', 'resolved', 'after#2', 'true', '7');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('25', '37a8eec1-ce19-687d-0000-00000000001f', 'child', '0', 'null', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('26', '37a8eec1-ce19-687d-0000-00000000001f', 'child', '1', 'null', '2');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('27', '37a8eec1-ce19-687d-0000-000000000027', 'signal', 'paid', '7', '5');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('28', '37a8eec1-ce19-687d-0000-000000000027', 'signal', 'confirm', '"yes"', '5');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('29', '37a8eec1-ce19-687d-0000-000000000027', 'task', '11', '{"attempt":1,"worker":"worker","started_at":1893456361000000,"output":3}', '6');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('3', '37a8eec1-ce19-687d-0000-000000000005', 'resolved', 'approval', '"granted"', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('30', '37a8eec1-ce19-687d-0000-000000000025', 'child', '0', 'null', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('31', '37a8eec1-ce19-687d-0000-00000000002a', 'signal', 'paid', '7', '5');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('32', '37a8eec1-ce19-687d-0000-00000000002b', 'cancel', '', '"not today"', '5');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('33', '37a8eec1-ce19-687d-0000-00000000002e', 'signal', 'paid', '7', '5');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('34', '37a8eec1-ce19-687d-0000-00000000002e', 'signal', 'confirm', 'false', '6');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('35', '37a8eec1-ce19-687d-0000-000000000035', 'child', '3', 'null', '2');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('36', '37a8eec1-ce19-687d-0000-000000000033', 'resolved', 'approval', '"granted"', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('37', '37a8eec1-ce19-687d-0000-000000000039', 'cancel', '', '"half way"', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('38', '37a8eec1-ce19-687d-0000-000000000035', 'child', '4', 'null', '3');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('39', '37a8eec1-ce19-687d-0000-00000000003d', 'signal', 'other', 'null', NULL);
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('4', '37a8eec1-ce19-687d-0000-000000000005', 'rejected', 'payment', '{"type":"builtins:ValueError","message":"no funds","traceback":"left out"}', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('40', '37a8eec1-ce19-687d-0000-000000000030', 'signal', 'go', '"unread"', NULL);
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('41', '37a8eec1-ce19-687d-0000-00000000003d', 'signal', 'go', 'null', NULL);
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('42', '37a8eec1-ce19-687d-0000-000000000034', 'cancel', '', '"unread"', NULL);
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('5', '37a8eec1-ce19-687d-0000-00000000000a', 'cancel', '', '"enough"', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('6', '37a8eec1-ce19-687d-0000-00000000000a', 'signal', 'clean', 'null', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('7', '37a8eec1-ce19-687d-0000-00000000000c', 'signal', 'go', '"again"', '4');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('8', '37a8eec1-ce19-687d-0000-000000000004', 'signal', 'go', '1', '1');
INSERT INTO holdfast.messages (id, run, kind, name, payload, taken) OVERRIDING SYSTEM VALUE VALUES ('9', '37a8eec1-ce19-687d-0000-000000000004', 'signal', 'go', '2', '1');
INSERT INTO holdfast.nodes (id, namespace, tick, lease_until, started_at) VALUES ('node:2265b1f5', 'default', 1, '2030-01-01 00:09:16.25+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.queue (namespace, run, seq, service, attempt, lease, worker, ready_at, taken_at, created_at) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000002e', '11', 'packing', '1', '0', NULL, '2030-01-01 00:07:01+00', NULL, '2030-01-01 00:07:01+00');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000001', 'taken', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.4657975274077232,"uuid":"1918efae-a8a2-4f0f-8b34-36469c987717"}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000002', 'finished-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-000000000002:0"},"task":"37a8eec1-ce19-687d-0000-000000000002:0"}', NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000003', 'finished-class', 'of_a_class', '7', 'of_a_class@7', 'success', '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000004', 'finished-listening', 'listening', 'auto-ab71482c0419', 'listening', 'success', '{"name":"finished"}', '["finished",1,[2,3],102]', NULL, NULL, NULL, NULL, '2', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:30+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000005', 'finished-approving', 'approving', 'auto-3a6653a5ad65', 'approving', 'success', '{}', '["granted","ValueError: no funds"]', NULL, NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000006', 'finished-family', 'family', 'auto-73b058d3fe88', 'family', 'success', '{"name":"finished-family"}', '["taken","RuntimeError: cannot go on: 7",{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.9713375949702963,"uuid":"16eaf1fb-7b4f-4c8f-ba50-30730d4198f0"},["child",1,[2,3],102]]', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000007', 'finished-family-child', 'listening', 'auto-ab71482c0419', 'listening', 'success', '{"name":"child"}', '["child",1,[2,3],102]', NULL, '37a8eec1-ce19-687d-0000-000000000006', '0', NULL, '2', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:30+00', '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000008', 'finished-family-detached', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"detached"}', NULL, NULL, '37a8eec1-ce19-687d-0000-000000000006', '1', NULL, '1', NULL, 'signal ''go''', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000000a', 'finished-cancelled', 'cleaning_up', 'auto-7f87d490ca48', 'cleaning_up', 'cancelled', '{}', NULL, '{"type":"cancelled","message":"enough"}', NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000000b', 'finished-family-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"}', '37a8eec1-ce19-687d-0000-000000000006', '3', NULL, '1', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000000c', 'finished-reopened', 'reopened', 'auto-877d0ec943ea', 'reopened', 'success', '{}', '[2,"second","again",4]', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000000d', 'finished-family/4', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.9713375949702963,"uuid":"16eaf1fb-7b4f-4c8f-ba50-30730d4198f0"}', NULL, '37a8eec1-ce19-687d-0000-000000000006', '4', NULL, '3', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:35+00', '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000000e', 'naps@2030-01-01T00:01:00Z', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'running', '{"days":1}', NULL, NULL, NULL, NULL, NULL, '1', '2030-01-02 00:01:00+00', 'until 2030-01-02T00:01:00+00:00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000000f', 'reports@2030-01-01T00:01:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:01:35Z","random":0.9072941913676805,"uuid":"511190e2-c8a9-4ec6-a6a1-6d599c32e807"}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000010', 'reports@2030-01-01T00:02:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:02:35Z","random":0.9395106984680553,"uuid":"966bc99d-02c9-4f34-bbcc-c92a0b160f0a"}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', '2030-01-01 00:02:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000011', 'finished-racing', 'racing', 'auto-25b3d5537d31', 'racing', 'success', '{}', '["1 was first","timed out","2"]', NULL, NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', '2030-01-01 00:02:11+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000012', 'finished-racing-loser', 'listening', 'auto-ab71482c0419', 'listening', 'cancelled', '{"name":"loser"}', NULL, '{"type":"cancelled","message":"its parent cancelled it"}', '37a8eec1-ce19-687d-0000-000000000011', '0', NULL, '1', NULL, NULL, '2030-01-01 00:02:10+00', '2030-01-01 00:02:10+00', '2030-01-01 00:02:11+00', '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000013', 'reports@2030-01-01T00:03:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:03:35Z","random":0.7406388015279695,"uuid":"8ffcbe6c-bf3b-4d80-b34e-69b12af8efa3"}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00', '2030-01-01 00:03:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000014', 'dag-finished', 'delivery', 'auto-6d4c961462d8', 'delivery', 'success', '{"day":"2030-01-01","parcels":["tea","pot"],"days":0,"none":[]}', '{"places":[{"place":0},{"place":1}],"slept":"0:00:00"}', NULL, NULL, NULL, NULL, '2', NULL, NULL, '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00', '2030-01-01 00:03:50+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000015', 'dag-finished/call', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'success', '{"days":0}', '"0:00:00"', NULL, '37a8eec1-ce19-687d-0000-000000000014', '0', NULL, '1', NULL, NULL, '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00', '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000016', 'reports@2030-01-01T00:04:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:04:35Z","random":0.2992437774646409,"uuid":"43070da1-e599-4712-84c9-4930770ea462"}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000017', 'dag-waiting-for-a-child', 'delivery', 'auto-6d4c961462d8', 'delivery', 'running', '{"day":"2030-01-01","parcels":["tea","pot"],"days":1,"none":[]}', NULL, NULL, NULL, NULL, NULL, '2', '2030-04-01 00:04:00+00', 'child dag-waiting-for-a-child/call; until 2030-04-01T00:04:00+00:00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000018', 'dag-waiting-for-a-child/call', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'running', '{"days":1}', NULL, NULL, '37a8eec1-ce19-687d-0000-000000000017', '0', NULL, '1', '2030-01-02 00:04:30+00', 'until 2030-01-02T00:04:30+00:00', '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00', NULL, '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000019', 'dag-at-its-gate', 'delivery', 'auto-6d4c961462d8', 'delivery', 'running', '{"day":"2030-01-01","parcels":["tea","pot"],"days":0,"none":[]}', NULL, NULL, NULL, NULL, NULL, '2', '2030-03-02 00:04:40+00', 'approval ''gate''; until 2030-03-02T00:04:40+00:00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000001a', 'dag-waiting-for-a-signal', 'delivery', 'auto-6d4c961462d8', 'delivery', 'running', '{"day":"2030-01-01","parcels":["tea","pot"],"days":0,"none":[]}', NULL, NULL, NULL, NULL, NULL, '2', '2030-04-01 00:04:40+00', 'signal ''go''; until 2030-04-01T00:04:40+00:00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000001b', 'dag-cancelled', 'delivery', 'auto-6d4c961462d8', 'delivery', 'cancelled', '{"day":"2030-01-01","parcels":["tea","pot"],"days":0,"none":[]}', NULL, '{"type":"cancelled","message":"not today"}', NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000001c', 'dag-failed', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'failed', '{}', NULL, '{"type":"holdfast.errors:CommandFailed","message":"task ''bad'' failed: exited with code 1","attributes":{"exit_code":1},"task":"37a8eec1-ce19-687d-0000-00000000001c:1"}', NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000001d', 'dag-opened-again', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'running', '{}', NULL, NULL, NULL, NULL, NULL, '3', NULL, 'approval ''after#2''', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000001e', 'dag-finished-at-the-second-try', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'success', '{}', '{"last":null}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000001f', 'dag-calling-in-turn', 'calling', 'auto-f3329ab1dc3d', 'calling', 'running', '{}', NULL, NULL, NULL, NULL, NULL, '3', NULL, 'child dag-calling-in-turn/call/0', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000020', 'dag-calling-in-turn/call/0', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'running', '{}', NULL, NULL, '37a8eec1-ce19-687d-0000-00000000001f', '0', NULL, '3', NULL, 'approval ''after#2''', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL, '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000021', 'dag-calling-in-turn/call/1', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'running', '{}', NULL, NULL, '37a8eec1-ce19-687d-0000-00000000001f', '1', NULL, '2', NULL, 'its turn in dag-calling-in-turn', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL, '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000022', 'dag-of-an-earlier-edition', 'edition', 'auto-1c784be9bc53', 'edition', 'running', '{}', NULL, NULL, NULL, NULL, NULL, '1', NULL, 'approval ''gate''', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000023', 'talking-half-way', 'talking', 'auto-ac773e1dcc57', 'talking', 'running', '{}', NULL, NULL, NULL, NULL, NULL, '1', NULL, 'signal ''go''', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000024', 'reports@2030-01-01T00:05:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:05:35Z","random":0.40916665823947074,"uuid":"5ca87604-6fc8-4577-90b4-a4da63d074cd"}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00', '2030-01-01 00:05:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000025', 'flow-small', 'order', 'auto-a24600eb5b84', 'order', 'success', '{"total":5}', '{}', NULL, NULL, NULL, NULL, '2', NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:06:16+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000026', 'flow-small/small', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":5,"second":5}', '{"total":10,"several":[10,11,12],"thread":11,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:06:16Z","random":0.9988041284731815,"uuid":"16fa1530-5fe8-4a28-8ac9-6abd9b740d0c"}', NULL, '37a8eec1-ce19-687d-0000-000000000025', '0', NULL, '3', NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:06:16+00', '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000027', 'flow-finished', 'order', 'auto-a24600eb5b84', 'order', 'success', '{"total":500,"parcels":[1,2]}', '{"checks":[501,null],"counted":[2,3],"paid":7,"confirm":"yes","desk":{"cents":7,"said":"yes"},"packed":3}', NULL, NULL, NULL, NULL, '2', NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:06:01+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000028', 'reports@2030-01-01T00:06:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:06:35Z","random":0.2901103737016142,"uuid":"5ba3e0db-c21f-44ba-98c6-288528a4ce70"}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00', '2030-01-01 00:06:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000029', 'flow-at-its-desk', 'order', 'auto-a24600eb5b84', 'order', 'running', '{"total":500,"parcels":[1,2]}', NULL, NULL, NULL, NULL, NULL, '1', '2030-04-15 04:06:06+00', 'signal ''paid''; until 2030-04-15T04:06:06+00:00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000002a', 'flow-asking', 'order', 'auto-a24600eb5b84', 'order', 'running', '{"total":500,"parcels":[1,2]}', NULL, NULL, NULL, NULL, NULL, '2', NULL, 'approval ''confirm''', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000002b', 'flow-cancelled', 'order', 'auto-a24600eb5b84', 'order', 'cancelled', '{"total":500,"parcels":[1,2]}', NULL, '{"type":"cancelled","message":"not today"}', NULL, NULL, NULL, '2', NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:31+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000002c', 'flow-failed', 'refused', 'auto-fc8fe6fa456e', 'refused', 'failed', '{}', NULL, '{"type":"builtins:ValueError","message":"node ''last'' failed: not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002c:1"}', NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:06:31+00', '2030-01-01 00:06:31+00', '2030-01-01 00:06:31+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000002d', 'flow-published', 'refused flow', '1', '(published flows)', 'failed', '{}', NULL, '{"type":"builtins:ValueError","message":"node ''last'' failed: not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002d:1"}', NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:06:41+00', '2030-01-01 00:06:41+00', '2030-01-01 00:06:41+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000002e', 'flow-in-the-queue', 'order', 'auto-a24600eb5b84', 'order', 'running', '{"total":500,"parcels":[1,2]}', NULL, NULL, NULL, NULL, NULL, '2', NULL, 'a worker of service ''packing'' (pack)', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000002f', 'reports@2030-01-01T00:07:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:07:35Z","random":0.5456286316882698,"uuid":"2740e3c7-e89d-4ae5-ab1e-0adad47d6c54"}', NULL, NULL, NULL, NULL, '3', NULL, NULL, '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00', '2030-01-01 00:07:35+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000030', 'waiting-listening', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"unread"}', NULL, NULL, NULL, NULL, NULL, '1', '2030-01-01 00:09:02+00', 'signal ''go''', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000031', 'waiting-sleeping', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'running', '{"days":30}', NULL, NULL, NULL, NULL, NULL, '1', '2030-01-31 00:08:01+00', 'until 2030-01-31T00:08:01+00:00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000032', 'waiting-class', 'of_a_class', '7', 'of_a_class@7', 'running', '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', NULL, NULL, NULL, NULL, NULL, '1', NULL, 'signal ''go''', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000033', 'waiting-approving', 'approving', 'auto-3a6653a5ad65', 'approving', 'running', '{}', NULL, NULL, NULL, NULL, NULL, '1', NULL, 'promise ''payment''', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000034', 'waiting-for-both', 'approving', 'auto-3a6653a5ad65', 'approving', 'running', '{}', NULL, NULL, NULL, NULL, NULL, '1', '2030-01-01 00:08:01+00', 'promise ''approval''', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000035', 'waiting-family', 'family', 'auto-73b058d3fe88', 'family', 'running', '{"name":"waiting-family"}', NULL, NULL, NULL, NULL, NULL, '2', NULL, 'child waiting-family-child, waiting-family-detached', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000036', 'waiting-family-child', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"child"}', NULL, NULL, '37a8eec1-ce19-687d-0000-000000000035', '0', NULL, '1', NULL, 'signal ''go''', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000037', 'waiting-family-detached', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"detached"}', NULL, NULL, '37a8eec1-ce19-687d-0000-000000000035', '1', NULL, '1', NULL, 'signal ''go''', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000039', 'waiting-cancelled', 'cleaning_up', 'auto-7f87d490ca48', 'cleaning_up', 'running', '{}', NULL, NULL, NULL, NULL, NULL, '1', NULL, 'signal ''clean''', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000003a', 'waiting-family-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000003a:0"},"task":"37a8eec1-ce19-687d-0000-00000000003a:0"}', '37a8eec1-ce19-687d-0000-000000000035', '3', NULL, '1', NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000003b', 'waiting-reopened', 'reopened', 'auto-877d0ec943ea', 'reopened', 'running', '{}', NULL, NULL, NULL, NULL, NULL, '3', NULL, 'signal ''go''', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000003c', 'failed-once', 'reopened', 'auto-877d0ec943ea', 'reopened', 'failed', '{}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1},"task":"37a8eec1-ce19-687d-0000-00000000003c:1"}', NULL, NULL, NULL, '1', NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000003d', 'parked', 'mistaken', 'auto-2874f1f78e35', 'mistaken', 'parked', '{}', NULL, '{"type":"holdfast.errors:DeterminismError","message":"task 0 was task ''add'' when this run passed here, but the code now asks for task ''add_on_a_thread''; restore the old order, guard the change with context().patched(...), or start new runs on a new version, then resume the run","traceback":"left out","attributes":{"kind":"task","position":0,"recorded":"task ''add''","requested":"task ''add_on_a_thread''"}}', NULL, NULL, NULL, '2', '2030-01-01 00:09:06+00', 'code that it fits; it is tried again 2030-01-01T00:09:06+00:00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', NULL, '1', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000003e', 'waiting-family/4', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:08:36Z","random":0.3312842691636321,"uuid":"4eb41351-b7d3-4425-a980-9d7655f2378f"}', NULL, '37a8eec1-ce19-687d-0000-000000000035', '4', NULL, '3', NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:36+00', '0', '1');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-00000000003f', 'under-way-1', 'holding', 'auto-2098f6c677fe', 'holding', 'running', '{"number":1}', NULL, NULL, NULL, NULL, 'node:2265b1f5', '1', NULL, NULL, '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000040', 'under-way-2', 'holding', 'auto-2098f6c677fe', 'holding', 'running', '{"number":2}', NULL, NULL, NULL, NULL, 'node:2265b1f5', '1', NULL, NULL, '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000041', 'under-way-resident', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"resident"}', NULL, NULL, NULL, NULL, 'node:2265b1f5', '1', NULL, NULL, '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000042', 'dag-under-way', 'held_up', 'auto-09b4deaf5d74', 'held_up', 'running', '{}', NULL, NULL, NULL, NULL, 'node:2265b1f5', '1', NULL, NULL, '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', NULL, '0', '0');
INSERT INTO holdfast.runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth) VALUES ('default', '37a8eec1-ce19-687d-0000-000000000043', 'pending', 'steps', 'auto-d662e45637ee', 'steps', 'pending', '{"first":5,"second":6}', NULL, NULL, NULL, NULL, NULL, '0', '2030-01-01 00:09:02+00', NULL, '2030-01-01 00:09:02+00', NULL, NULL, '0', '0');
INSERT INTO holdfast.schedules (namespace, name, workflow, input, plan, origin, is_paused, revision, cursor, queued, active, next_at, skipped, skip_note, created_at, updated_at) VALUES ('default', 'naps', 'sleeping', '{"days":1}', '{"timetable":{"type":"every","interval":"PT60S"},"jitter":"P0D","start":null,"end":1893456420000000,"overlap":"queue","catchup":{"mode":"last","most":100}}', '', 'false', '8', '2030-01-01 00:07:00+00', '[1893456120000000,1893456180000000,1893456240000000,1893456300000000,1893456360000000,1893456420000000]', '37a8eec1-ce19-687d-0000-00000000000e', NULL, '0', NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:07:00+00');
INSERT INTO holdfast.schedules (namespace, name, workflow, input, plan, origin, is_paused, revision, cursor, queued, active, next_at, skipped, skip_note, created_at, updated_at) VALUES ('default', 'nightly', 'delivery', '{"day":"{date}","parcels":["{tick}"],"days":0,"none":[]}', '{"timetable":{"type":"cron","expression":"30 2 * * 1-5","timezone":"Europe/Berlin"},"jitter":"PT60S","start":null,"end":null,"overlap":"cancel_previous","catchup":{"mode":"all","most":3}}', '', 'true', '2', '2030-01-01 00:00:00+00', '[]', NULL, NULL, '0', NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.schedules (namespace, name, workflow, input, plan, origin, is_paused, revision, cursor, queued, active, next_at, skipped, skip_note, created_at, updated_at) VALUES ('default', 'reports', 'steps', '{"first":1,"second":2}', '{"timetable":{"type":"every","interval":"PT60S"},"jitter":"P0D","start":null,"end":1893456420000000,"overlap":"skip","catchup":{"mode":"last","most":100}}', '', 'false', '8', '2030-01-01 00:07:00+00', '[]', '37a8eec1-ce19-687d-0000-00000000002f', NULL, '0', NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:07:00+00');
INSERT INTO holdfast.schema_migrations (number, name, applied_at) VALUES ('1', 'kernel', '2030-01-01 00:00:00');
INSERT INTO holdfast.schema_migrations (number, name, applied_at) VALUES ('2', 'setbacks', '2030-01-01 00:00:00');
INSERT INTO holdfast.schema_migrations (number, name, applied_at) VALUES ('3', 'dags', '2030-01-01 00:00:00');
INSERT INTO holdfast.schema_migrations (number, name, applied_at) VALUES ('4', 'flows', '2030-01-01 00:00:00');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000001', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000004', 'listening', '"finished"');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000007', 'listening', '"child"');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000008', 'listening', '"detached"');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', 'step', '2');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000010', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000012', 'listening', '"loser"');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000013', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000016', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000024', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000025', '$cursor', '{"node":"","action":"","steps":2}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000026', 'total', '10');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '$cursor', '{"node":"","action":"next","steps":8}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000027', 'checks', '[501,null]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000027', 'confirm', '"yes"');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000027', 'counted', '[2,3]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000027', 'desk', '{"cents":7,"said":"yes"}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000027', 'packed', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000027', 'paid', '7');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000028', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '$cursor', '{"node":"desk/paid","action":"next","steps":6}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000029', 'checks', '[501,null]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000029', 'counted', '[2,3]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '$cursor', '{"node":"desk/confirm","action":"next","steps":7}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', 'checks', '[501,null]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', 'counted', '[2,3]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', 'paid', '7');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '$cursor', '{"node":"desk/paid","action":"next","steps":6}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', 'checks', '[501,null]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', 'counted', '[2,3]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002c', '$cursor', '{"node":"last","action":"error","steps":2}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002d', '$cursor', '{"node":"last","action":"error","steps":2}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '$cursor', '{"node":"pack","action":"next","steps":8}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', 'checks', '[501,null]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', 'confirm', 'false');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', 'counted', '[2,3]');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', 'desk', '{"cents":7,"said":false}');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', 'paid', '7');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000030', 'listening', '"unread"');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000036', 'listening', '"child"');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000037', 'listening', '"detached"');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', 'step', '2');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000003c', 'step', '1');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', 'total', '3');
INSERT INTO holdfast.state (run, key, value) VALUES ('37a8eec1-ce19-687d-0000-000000000041', 'listening', '"resident"');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000001', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000001:7"}', NULL, NULL, '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000002', '0', 'decline', 'failed', '1', '0', '0', '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-000000000002:0"}', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000003', '0', 'echo', 'success', '1', '0', '0', '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000004', '0', 'add', 'success', '1', '0', '0', '{"left":2,"right":100}', '102', NULL, NULL, NULL, '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000007', '0', 'add', 'success', '1', '0', '0', '{"left":2,"right":100}', '102', NULL, NULL, NULL, '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000a', '0', 'add', 'success', '1', '0', '0', '{"left":5,"right":5}', '10', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000b', '0', 'decline', 'failed', '1', '0', '0', '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"}', NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":1}', '2', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '1', 'second_time_lucky', 'success', '2', '0', '1', '{"value":"second"}', '"second"', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000c', '2', 'add', 'success', '1', '0', '0', '{"left":2,"right":2}', '4', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:00:00+00', '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000d', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000000d:7"}', NULL, NULL, '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00', '2030-01-01 00:00:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000e', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:01:00+00', '2030-01-01 00:01:30+00', '2030-01-01 00:01:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:01:30+00', '2030-01-01 00:01:30+00', '2030-01-01 00:01:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000000f', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000000f:7"}', NULL, NULL, '2030-01-01 00:01:30+00', '2030-01-01 00:01:30+00', '2030-01-01 00:01:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:30+00', '2030-01-01 00:02:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:02:30+00', '2030-01-01 00:02:30+00', '2030-01-01 00:02:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000010', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000010:7"}', NULL, NULL, '2030-01-01 00:02:30+00', '2030-01-01 00:02:30+00', '2030-01-01 00:02:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000011', '0', 'hold', 'cancelled', '1', '0', '0', '{"value":"never heard"}', NULL, NULL, '{"got":"never heard"}', NULL, '2030-01-01 00:02:00+00', '2030-01-01 00:02:00+00', '2030-01-01 00:02:03+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000011', '1', 'hold', 'cancelled', '1', '0', '0', '{"value":"too late"}', NULL, NULL, '{"got":"too late"}', NULL, '2030-01-01 00:02:03+00', '2030-01-01 00:02:03+00', '2030-01-01 00:02:10+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000011', '2', 'add', 'success', '1', '0', '0', '{"left":1,"right":1}', '2', NULL, NULL, NULL, '2030-01-01 00:02:10+00', '2030-01-01 00:02:10+00', '2030-01-01 00:02:10+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00', '2030-01-01 00:03:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:03:00+00', '2030-01-01 00:03:30+00', '2030-01-01 00:03:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:03:30+00', '2030-01-01 00:03:30+00', '2030-01-01 00:03:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000013', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000013:7"}', NULL, NULL, '2030-01-01 00:03:30+00', '2030-01-01 00:03:30+00', '2030-01-01 00:03:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '0', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":0,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '1', 'rest', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00', '2030-01-01 00:03:50+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '2', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":0,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '3', 'return', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:03:20+00', NULL, '2030-01-01 00:03:20+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '4', 'label', 'success', '1', '0', '0', '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '5', 'gate', 'success', '1', '0', '0', '{"promise":"gate","message":"May it go?"}', 'true', NULL, NULL, NULL, '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '6', 'go', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00', '2030-01-01 00:03:20+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '7', 'call', 'success', '1', '0', '0', '{"days":0}', '"0:00:00"', NULL, NULL, NULL, '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000014', '8', 'nothing', 'success', '1', '0', '0', '{}', '[]', NULL, NULL, NULL, '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000015', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000015', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":4}', '7', NULL, NULL, NULL, '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00', '2030-01-01 00:03:50+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000016', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000016:7"}', NULL, NULL, '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '0', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":1,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '1', 'rest', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '2', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":1,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '3', 'return', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:00+00', NULL, '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '4', 'label', 'success', '1', '0', '0', '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '5', 'gate', 'success', '1', '0', '0', '{"promise":"gate","message":"May it go?"}', 'true', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '6', 'go', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00', '2030-01-01 00:04:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000017', '7', 'call', 'running', '1', '0', '0', '{"days":1}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000018', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00', '2030-01-01 00:04:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '0', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":0,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '1', 'rest', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:05:10+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '2', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":0,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '3', 'return', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:40+00', NULL, '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '4', 'label', 'success', '1', '0', '0', '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000019', '5', 'gate', 'running', '1', '0', '0', '{"promise":"gate","message":"May it go?"}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '0', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":0,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '1', 'rest', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:05:10+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '2', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":0,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '3', 'return', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:40+00', NULL, '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '4', 'label', 'success', '1', '0', '0', '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '5', 'gate', 'success', '1', '0', '0', '{"promise":"gate","message":"May it go?"}', 'true', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001a', '6', 'go', 'running', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '0', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":0,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '1', 'rest', 'cancelled', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '2', 'pack', 'success', '1', '0', '0', '{"day":"2030-01-01","days":0,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '3', 'return', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:40+00', NULL, '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '4', 'label', 'success', '1', '0', '0', '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001b', '5', 'gate', 'cancelled', '1', '0', '0', '{"promise":"gate","message":"May it go?"}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00', '2030-01-01 00:04:40+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '0', 'first', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '1', 'bad', 'failed', '1', '0', '0', '{"first":null}', NULL, '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1},"task":"37a8eec1-ce19-687d-0000-00000000001c:1"}', NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '2', 'after', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', NULL, '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001c', '3', 'last', 'success', '1', '0', '0', '{"after":null}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '0', 'first', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '1', 'bad', 'success', '2', '0', '1', '{"first":null}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '2', 'after', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', NULL, '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '3', 'last', 'success', '1', '0', '0', '{"after":null}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001d', '4', 'after', 'running', '1', '0', '0', '{"promise":"after#2","message":""}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '0', 'first', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '1', 'bad', 'success', '2', '0', '1', '{"first":null}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '2', 'after', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', NULL, '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '3', 'last', 'success', '1', '0', '0', '{"after":null}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001e', '4', 'after', 'success', '1', '0', '0', '{"promise":"after#2","message":""}', 'true', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001f', '0', 'call', 'failed', '1', '0', '0', '{"parallel_index":0,"parallel_count":2}', NULL, '{"type":"holdfast.errors:CommandFailed","message":"task ''bad'' failed: exited with code 1","attributes":{"exit_code":1},"task":"37a8eec1-ce19-687d-0000-00000000001f:0"}', NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001f', '1', 'call', 'failed', '1', '0', '0', '{"parallel_index":1,"parallel_count":2}', NULL, '{"type":"holdfast.errors:CommandFailed","message":"task ''bad'' failed: exited with code 1","attributes":{"exit_code":1},"task":"37a8eec1-ce19-687d-0000-00000000001f:1"}', NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000001f', '2', 'call', 'running', '1', '0', '0', '{"parallel_index":0,"parallel_count":2}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '0', 'first', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '1', 'bad', 'success', '2', '0', '1', '{"first":null}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '2', 'after', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', NULL, '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '3', 'last', 'success', '1', '0', '0', '{"after":null}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000020', '4', 'after', 'running', '1', '0', '0', '{"promise":"after#2","message":""}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '0', 'first', 'success', '1', '0', '0', '{}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '1', 'bad', 'pending', '2', '0', '1', '{"first":null}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', NULL, NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '2', 'after', 'skipped', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', NULL, '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000021', '3', 'last', 'success', '1', '0', '0', '{"after":null}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000022', '0', 'gate', 'running', '1', '0', '0', '{"promise":"gate","message":""}', NULL, NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000023', '0', 'talk', 'success', '1', '0', '0', '{"words":"hello"}', 'null', NULL, NULL, NULL, '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00', '2030-01-01 00:04:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00', '2030-01-01 00:05:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:05:00+00', '2030-01-01 00:05:30+00', '2030-01-01 00:05:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:05:30+00', '2030-01-01 00:05:30+00', '2030-01-01 00:05:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000024', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000024:7"}', NULL, NULL, '2030-01-01 00:05:30+00', '2030-01-01 00:05:30+00', '2030-01-01 00:05:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000025', '0', 'route', 'success', '1', '0', '0', '{"input":null}', '"small"', NULL, NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000025', '1', 'small', 'success', '1', '0', '0', '{"input":{"first":5,"second":5},"workflow":"steps"}', '{"total":10,"several":[10,11,12],"thread":11,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:06:16Z","random":0.9988041284731815,"uuid":"16fa1530-5fe8-4a28-8ac9-6abd9b740d0c"}', NULL, NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:06:16+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '0', 'add', 'success', '1', '0', '0', '{"left":5,"right":5}', '10', NULL, NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '1', 'add', 'success', '1', '0', '0', '{"left":10,"right":0}', '10', NULL, NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '2', 'add', 'success', '1', '0', '0', '{"left":10,"right":1}', '11', NULL, NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '3', 'add', 'success', '1', '0', '0', '{"left":10,"right":2}', '12', NULL, NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":10,"right":1}', '11', NULL, NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00', '2030-01-01 00:05:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:05:41+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000026', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000026:7"}', NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '0', 'route', 'success', '1', '0', '0', '{"input":null}', '"large"', NULL, NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '1', 'checks', 'success', '1', '0', '0', '{"input":500}', '[501,null]', NULL, NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '10', 'desk/confirm', 'success', '1', '0', '0', '{"input":null,"signal":"confirm"}', '"yes"', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '11', 'pack', 'success', '1', '0', '0', '{"input":null,"params":{"total":500,"parcels":[1,2]}}', '3', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '2', 'checks/branch', 'success', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '3', 'checks/branch', 'failed', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000027:3"}', NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '4', 'each', 'success', '1', '0', '0', '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '5', 'each/item', 'success', '1', '0', '0', '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '6', 'each/item', 'success', '1', '0', '0', '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '7', 'pause', 'success', '1', '0', '0', '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, '2030-01-01 00:05:51+00', '2030-01-01 00:05:51+00', '2030-01-01 00:05:56+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '8', 'desk', 'success', '1', '0', '0', '{"input":null}', '{"cents":7,"said":"yes"}', NULL, NULL, NULL, '2030-01-01 00:05:56+00', '2030-01-01 00:05:56+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000027', '9', 'desk/paid', 'success', '1', '0', '0', '{"input":null,"signal":"paid"}', '7', NULL, NULL, NULL, '2030-01-01 00:05:56+00', '2030-01-01 00:05:56+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00', '2030-01-01 00:06:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:06:00+00', '2030-01-01 00:06:30+00', '2030-01-01 00:06:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:06:30+00', '2030-01-01 00:06:30+00', '2030-01-01 00:06:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000028', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000028:7"}', NULL, NULL, '2030-01-01 00:06:30+00', '2030-01-01 00:06:30+00', '2030-01-01 00:06:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '0', 'route', 'success', '1', '0', '0', '{"input":null}', '"large"', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '1', 'checks', 'success', '1', '0', '0', '{"input":500}', '[501,null]', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '2', 'checks/branch', 'success', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '3', 'checks/branch', 'failed', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000029:3"}', NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '4', 'each', 'success', '1', '0', '0', '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '5', 'each/item', 'success', '1', '0', '0', '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '6', 'each/item', 'success', '1', '0', '0', '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '7', 'pause', 'success', '1', '0', '0', '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, '2030-01-01 00:06:01+00', '2030-01-01 00:06:01+00', '2030-01-01 00:06:06+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '8', 'desk', 'running', '1', '0', '0', '{"input":null}', NULL, NULL, NULL, NULL, '2030-01-01 00:06:06+00', '2030-01-01 00:06:06+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000029', '9', 'desk/paid', 'running', '1', '0', '0', '{"input":null,"signal":"paid"}', NULL, NULL, NULL, NULL, '2030-01-01 00:06:06+00', '2030-01-01 00:06:06+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '0', 'route', 'success', '1', '0', '0', '{"input":null}', '"large"', NULL, NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '1', 'checks', 'success', '1', '0', '0', '{"input":500}', '[501,null]', NULL, NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '10', 'desk/confirm', 'running', '1', '0', '0', '{"input":null,"signal":"confirm"}', NULL, NULL, NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '2', 'checks/branch', 'success', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '3', 'checks/branch', 'failed', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002a:3"}', NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '4', 'each', 'success', '1', '0', '0', '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '5', 'each/item', 'success', '1', '0', '0', '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '6', 'each/item', 'success', '1', '0', '0', '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '7', 'pause', 'success', '1', '0', '0', '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, '2030-01-01 00:06:11+00', '2030-01-01 00:06:11+00', '2030-01-01 00:06:16+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '8', 'desk', 'running', '1', '0', '0', '{"input":null}', NULL, NULL, NULL, NULL, '2030-01-01 00:06:16+00', '2030-01-01 00:06:16+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002a', '9', 'desk/paid', 'success', '1', '0', '0', '{"input":null,"signal":"paid"}', '7', NULL, NULL, NULL, '2030-01-01 00:06:16+00', '2030-01-01 00:06:16+00', '2030-01-01 00:06:21+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '0', 'route', 'success', '1', '0', '0', '{"input":null}', '"large"', NULL, NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '1', 'checks', 'success', '1', '0', '0', '{"input":500}', '[501,null]', NULL, NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '2', 'checks/branch', 'success', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '3', 'checks/branch', 'failed', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002b:3"}', NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '4', 'each', 'success', '1', '0', '0', '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '5', 'each/item', 'success', '1', '0', '0', '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '6', 'each/item', 'success', '1', '0', '0', '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '7', 'pause', 'success', '1', '0', '0', '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, '2030-01-01 00:06:21+00', '2030-01-01 00:06:21+00', '2030-01-01 00:06:26+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '8', 'desk', 'cancelled', '1', '0', '0', '{"input":null}', NULL, NULL, NULL, NULL, '2030-01-01 00:06:26+00', '2030-01-01 00:06:26+00', '2030-01-01 00:06:31+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002b', '9', 'desk/paid', 'cancelled', '1', '0', '0', '{"input":null,"signal":"paid"}', NULL, NULL, NULL, NULL, '2030-01-01 00:06:26+00', '2030-01-01 00:06:26+00', '2030-01-01 00:06:31+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002c', '0', 'first', 'failed', '1', '0', '0', '{"input":null,"params":{}}', NULL, '{"type":"builtins:ValueError","message":"not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002c:0"}', NULL, NULL, '2030-01-01 00:06:31+00', '2030-01-01 00:06:31+00', '2030-01-01 00:06:31+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002c', '1', 'last', 'failed', '1', '0', '0', '{"input":null,"params":{}}', NULL, '{"type":"builtins:ValueError","message":"not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002c:1"}', NULL, NULL, '2030-01-01 00:06:31+00', '2030-01-01 00:06:31+00', '2030-01-01 00:06:31+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002d', '0', 'first', 'failed', '1', '0', '0', '{"input":null,"params":{}}', NULL, '{"type":"builtins:ValueError","message":"not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002d:0"}', NULL, NULL, '2030-01-01 00:06:41+00', '2030-01-01 00:06:41+00', '2030-01-01 00:06:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002d', '1', 'last', 'failed', '1', '0', '0', '{"input":null,"params":{}}', NULL, '{"type":"builtins:ValueError","message":"not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002d:1"}', NULL, NULL, '2030-01-01 00:06:41+00', '2030-01-01 00:06:41+00', '2030-01-01 00:06:41+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '0', 'route', 'success', '1', '0', '0', '{"input":null}', '"large"', NULL, NULL, NULL, '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '1', 'checks', 'success', '1', '0', '0', '{"input":500}', '[501,null]', NULL, NULL, NULL, '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '10', 'desk/confirm', 'success', '1', '0', '0', '{"input":null,"signal":"confirm"}', 'false', NULL, NULL, NULL, '2030-01-01 00:07:01+00', '2030-01-01 00:07:01+00', '2030-01-01 00:07:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '11', 'pack', 'pending', '1', '0', '0', '{"input":null,"params":{"total":500,"parcels":[1,2]}}', NULL, NULL, NULL, NULL, '2030-01-01 00:07:01+00', NULL, NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '2', 'checks/branch', 'success', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '3', 'checks/branch', 'failed', '1', '0', '0', '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002e:3"}', NULL, NULL, '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '4', 'each', 'success', '1', '0', '0', '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '5', 'each/item', 'success', '1', '0', '0', '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '6', 'each/item', 'success', '1', '0', '0', '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '7', 'pause', 'success', '1', '0', '0', '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, '2030-01-01 00:06:51+00', '2030-01-01 00:06:51+00', '2030-01-01 00:06:56+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '8', 'desk', 'success', '1', '0', '0', '{"input":null}', '{"cents":7,"said":false}', NULL, NULL, NULL, '2030-01-01 00:06:56+00', '2030-01-01 00:06:56+00', '2030-01-01 00:07:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002e', '9', 'desk/paid', 'success', '1', '0', '0', '{"input":null,"signal":"paid"}', '7', NULL, NULL, NULL, '2030-01-01 00:06:56+00', '2030-01-01 00:06:56+00', '2030-01-01 00:07:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00', '2030-01-01 00:07:00+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:07:00+00', '2030-01-01 00:07:30+00', '2030-01-01 00:07:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:07:30+00', '2030-01-01 00:07:30+00', '2030-01-01 00:07:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000002f', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002f:7"}', NULL, NULL, '2030-01-01 00:07:30+00', '2030-01-01 00:07:30+00', '2030-01-01 00:07:30+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000031', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000032', '0', 'echo', 'success', '1', '0', '0', '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000039', '0', 'add', 'success', '1', '0', '0', '{"left":5,"right":5}', '10', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003a', '0', 'decline', 'failed', '1', '0', '0', '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000003a:0"}', NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":1}', '2', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003b', '1', 'second_time_lucky', 'success', '2', '0', '1', '{"value":"second"}', '"second"', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003c', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":1}', '2', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003c', '1', 'second_time_lucky', 'failed', '1', '0', '0', '{"value":"second"}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1},"task":"37a8eec1-ce19-687d-0000-00000000003c:1"}', NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003d', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":1}', '2', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '0', 'add', 'success', '1', '0', '0', '{"left":1,"right":2}', '3', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '1', 'add', 'success', '1', '0', '0', '{"left":3,"right":0}', '3', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '2', 'add', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '3', 'add', 'success', '1', '0', '0', '{"left":3,"right":2}', '5', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '4', 'add_on_a_thread', 'success', '1', '0', '0', '{"left":3,"right":1}', '4', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00', '2030-01-01 00:08:01+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '5', 'third_time_lucky', 'success', '3', '0', '0', '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, '2030-01-01 00:08:01+00', '2030-01-01 00:08:31+00', '2030-01-01 00:08:31+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '6', 'effect', 'success', '1', '0', '0', '{}', '{"read":"once"}', NULL, NULL, NULL, '2030-01-01 00:08:31+00', '2030-01-01 00:08:31+00', '2030-01-01 00:08:31+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003e', '7', 'failing effect', 'failed', '1', '0', '0', '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000003e:7"}', NULL, NULL, '2030-01-01 00:08:31+00', '2030-01-01 00:08:31+00', '2030-01-01 00:08:31+00');
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003f', '0', 'hold', 'running', '1', '0', '0', '{"value":"held 1"}', NULL, NULL, '{"got":"held 1"}', NULL, '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003f', '1', 'hold', 'pending', '1', '0', '0', '{"value":"next 1"}', NULL, NULL, NULL, NULL, '2030-01-01 00:09:01+00', NULL, NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-00000000003f', '2', 'third_time_lucky', 'pending', '2', '0', '0', '{"value":"lucky"}', NULL, NULL, NULL, '2030-01-01 00:09:11+00', '2030-01-01 00:09:01+00', NULL, NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000040', '0', 'hold', 'pending', '1', '0', '0', '{"value":"held 2"}', NULL, NULL, NULL, NULL, '2030-01-01 00:09:01+00', NULL, NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000040', '1', 'hold', 'pending', '1', '0', '0', '{"value":"next 2"}', NULL, NULL, NULL, NULL, '2030-01-01 00:09:01+00', NULL, NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000040', '2', 'third_time_lucky', 'pending', '2', '0', '0', '{"value":"lucky"}', NULL, NULL, NULL, '2030-01-01 00:09:11+00', '2030-01-01 00:09:01+00', NULL, NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000042', '0', 'rest', 'running', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', NULL);
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES ('37a8eec1-ce19-687d-0000-000000000042', '1', 'hold', 'running', '1', '0', '0', '{}', NULL, NULL, NULL, NULL, '2030-01-01 00:09:01+00', '2030-01-01 00:09:01+00', NULL);
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'approving', 'auto-3a6653a5ad65', 'code', '3a6653a5ad658b921b34f09dc809f8bdb1f10dd7c4bdd7d90530335191d90c7c', '@workflow(catalog=catalog)
async def approving() -> list[str]:
    said = [str(await context().promise("approval", str))]
    try:
        await context().promise("payment")
    except TaskError as error:
        said.append(f"{type(error).__name__}: {error}")
    return said
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:approving', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'calling', 'auto-f3329ab1dc3d', 'dag', 'f3329ab1dc3d264e4c8b41e0bf2f41fe947c5695fde66c48fc1e9ac25a0ec259', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.
name: calling
tasks:
  call: {workflow: fragile, parallel: 2, concurrency: 1}
', '2030-01-01 00:00:00+00', 'dags/calling.yaml', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'cleaning_up', 'auto-7f87d490ca48', 'code', '7f87d490ca48b8cd4ae685f72408de892b91cf9bda3731c7c77e48638fe85d93', '@workflow(catalog=catalog)
async def cleaning_up() -> None:
    """Cancelled, it takes its time to clean up."""
    try:
        await context().promise("never")
    finally:
        await add(5, 5)
        await context().signal("clean")
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:cleaning_up', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'delivery', 'auto-6d4c961462d8', 'dag', '6d4c961462d820c4cf4a0296eeb4c0eac1a395c7d821df73b0de0450c2117055', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.
name: delivery
input:
  day: date
  parcels: "[str] = [tea, pot]"
  days: int = 0
  none: "[str] = []"
timeout: 90d
tasks:
  pack:
    foreach: input.parcels
    concurrency: 1
    command: >-
      echo "packing $HOLDFAST_PARALLEL_INDEX of $HOLDFAST_PARALLEL_COUNT";
      echo "HOLDFAST_OUTPUT:{\"place\": $HOLDFAST_PARALLEL_INDEX}"
    output_type: {place: int}
  label:
    depends_on: pack
    command: [sh, -c, "echo grüße ☕ >&2"]
    inputs: {first: {ref: "pack[0].place"}, note: {const: grüße}}
  return:
    depends_on: pack
    when: pack[0].place > 0
    command: exit 1
  rest:
    sleep: 30s
  gate:
    depends_on: label
    approval: May it go?
    timeout: 60d
  go:
    depends_on: gate
    wait_for_signal: true
  call:
    depends_on: [go, rest]
    workflow: sleeping
    inputs: {days: {ref: input.days}}
  nothing:
    depends_on: call
    foreach: input.none
    command: exit 1
output: {places: pack, slept: call}
', '2030-01-01 00:00:00+00', 'dags/delivery.yaml', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'edition', 'auto-1c784be9bc53', 'dag', '1c784be9bc5365ee0ec94bb9fde8190ebc81d91256059766190f2affdd5c5caa', 'name: edition
tasks:
  gate: {approval: true}
  say: {depends_on: gate, command: ''echo "HOLDFAST_OUTPUT:\"the old edition\""''}
', '2030-01-01 00:04:41+00', 'dags/edition.yaml', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'edition', 'auto-c2f104594833', 'dag', 'c2f1045948334c6dc2ba5a9a56c0e7084798b0e1b3e99fff232c0ec23118deb3', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.
name: edition
tasks:
  gate: {approval: true}
  say: {depends_on: gate, command: ''echo "HOLDFAST_OUTPUT:\"the new edition\""''}
', '2030-01-01 00:00:00+00', 'dags/edition.yaml', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'failing', 'auto-28eb18826971', 'code', '28eb188269714dd291f5ff40507100ec6099717021f154c82435de750cbda85d', '@workflow(catalog=catalog)
async def failing() -> None:
    try:
        await decline(7)
    except Declined as error:
        raise RuntimeError(f"cannot go on: {error.code}") from error
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:failing', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'family', 'auto-73b058d3fe88', 'code', '73b058d3fe88559c5c2e94dc7af0cc2e547c4780f65016e0f2a838cfb57836e5', '@workflow(catalog=catalog)
async def family(name: str) -> list[Any]:
    """Children that end, that fail, that are detached, that have no id, and one whose id is another''s."""
    said: list[Any] = []
    child = listening.options(id=f"{name}-child")("child")
    listening.options(id=f"{name}-detached", detached=True)("detached")
    try:
        await steps.options(id="taken")(1, 1)
    except RunExists:
        said.append("taken")
    try:
        await failing.options(id=f"{name}-failing")()
    except RunFailed as error:
        said.append(f"{type(error).__name__}: {error}")
    said.append(await context().start_child("steps", first=1, second=2))
    said.append(await child)
    return said
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:family', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'fragile', 'auto-dc7162e89b0a', 'dag', 'dc7162e89b0ac8cd0889ebde700fcce59d3a226284f7c3843b1d6b06a5658c41', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.
name: fragile
tasks:
  first: {command: echo first}
  bad:
    depends_on: first
    command: echo attempt $HOLDFAST_ATTEMPT; test $HOLDFAST_ATTEMPT -gt 1
  after: {depends_on: bad, approval: true}
  last: {depends_on: after, on_failure: run, command: echo last}
', '2030-01-01 00:00:00+00', 'dags/fragile.yaml', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'held_up', 'auto-09b4deaf5d74', 'dag', '09b4deaf5d74c8d810567cecb524861f38e7edc68cfb5cdb942ab9b13b273552', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.
name: held_up
tasks:
  rest: {sleep: 1d}
  hold:
    command: echo holding; test $HOLDFAST_ATTEMPT -gt 1 || exec sleep 1000
  after: {depends_on: [rest, hold], command: echo after}
', '2030-01-01 00:00:00+00', 'dags/holding.yaml', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'holding', 'auto-2098f6c677fe', 'code', '2098f6c677fe78b4c26766f407259ff259994197e7b7ba6daba9882e3991fa9b', '@workflow(catalog=catalog)
async def holding(number: int) -> list[str]:
    """Tasks that are under way: one running, one that waits for its slot, one that waits to be retried."""
    tasks = [hold(f"held {number}"), hold(f"next {number}"), third_time_lucky("lucky")]
    return list(await asyncio.gather(*tasks))
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:holding', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'listening', 'auto-ab71482c0419', 'code', 'ab71482c0419b23d963cb71cb578fe9e9ad5790868993ffe2b823a9e0350c95d', '@workflow(catalog=catalog)
async def listening(name: str) -> list[Any]:
    """Messages that are read one by one, all at once, not at all, and after a time that has run out."""
    context().state.set("listening", name)
    first = await context().signal("go")
    try:
        await context().signal("never", timeout=dt.timedelta(seconds=30))
    except TimeoutError:
        pass
    left = context().drain_signals("go")
    return [name, first, left, await add(len(left), 100)]
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:listening', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'mistaken', 'auto-2874f1f78e35', 'code', '2874f1f78e35fc61a889c3e02702ff2e3d675de168ab5747b081bb392ed8631a', '@workflow(catalog=catalog)
async def mistaken() -> list[int]:
    """Parked, because for a while its code asks for another task than it did."""
    first = await (add_on_a_thread if World.is_mistaken else add)(1, 1)
    await context().signal("go")
    return [first, await add(first, 1)]
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:mistaken', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'of_a_class', '7', 'code', 'c207530c6e458d34bc454013e2cc03721ec7fa8130a8c433bb0ea5943c720c68', '@workflow(catalog=catalog, name="of_a_class", version="7")
class OfAClass:
    """A class, with an explicit version and the context as its first argument."""

    async def run(self, context: Context, order: Order) -> Order:
        self.seen = await echo(order)
        if self.seen != ORDER:
            raise ValueError("it was stored as something else")
        await context.signal("go")
        return self.seen
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:OfAClass', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'order', 'auto-a24600eb5b84', 'flow', 'a24600eb5b84f399ec8f8f714ffb800b3146543852819e9f06b90e0c22e8c601', 'name: order
start: route
nodes:
  route:
    kind: choice
    choice_cases: [{action: large, expr: {gt: [$params.total, 100]}}]
    default_action: small
  checks:
    kind: parallel
    exec_type: local_func
    parallel_services: [count, refuse]
    parallel_mode: concurrent
    failure_strategy: ignore_errors
    prep: {input_key: $params.total}
    post: {output_key: checks, action_static: next}
  each:
    kind: foreach
    exec_type: local_func
    func: count
    prep: {input_key: $params.parcels}
    post: {output_key: counted, action_static: next}
  pause: {kind: timer, params: {delay_ms: 5000}, post: {action_static: next}}
  desk:
    kind: subflow
    post: {output_key: desk, action_static: next}
    subflow:
      start: paid
      nodes:
        paid: {kind: wait_event, params: {timeout_ms: 9000000000}, post: {output_key: cents, action_static: next}}
        confirm: {kind: approval, post: {output_key: said}}
      edges: [{from: paid, action: next, to: confirm}]
  pack: {kind: executor, exec_type: queue, service: packing, post: {output_key: packed, action_static: next}}
  small: {kind: subflow, workflow: steps, prep: {input_map: {first: $params.total, second: $params.total}}}
edges:
  - {from: route, action: large, to: checks}
  - {from: route, action: small, to: small}
  - {from: checks, action: next, to: each}
  - {from: each, action: next, to: pause}
  - {from: pause, action: next, to: desk}
  - {from: desk, action: next, to: pack}
', '2030-01-01 00:00:00+00', 'flows/order.yaml', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'racing', 'auto-25b3d5537d31', 'code', '25b3d5537d3171ec86895fc835fd423d9ee24b9d894c0dab7f4b3f69702aec4c', '@workflow(catalog=catalog)
async def racing() -> list[str]:
    """Losers are cancelled: a task, a timer, a child; and a timeout wins against a task."""
    said: list[str] = []
    held = hold.options(queue="default")("never heard")
    sleep = asyncio.ensure_future(asyncio.sleep(3))
    done, _ = await asyncio.wait([held, sleep], return_when="FIRST_COMPLETED")
    said.append(f"{len(done)} was first")
    held.cancel()
    try:
        await asyncio.wait_for(hold.options(queue="default")("too late"), 7)
    except TimeoutError:
        said.append("timed out")
    async with asyncio.timeout(60):
        said.append(str(await add(1, 1)))
    child = listening.options(id=f"{context().run_id}-loser")("loser")
    await asyncio.sleep(1)
    child.cancel()
    return said
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:racing', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'refused', 'auto-fc8fe6fa456e', 'flow', 'fc8fe6fa456e7d1b6ffc81b6bd4faa4c597be2070b8a01298bc80dc3393e05df', 'name: refused
start: first
nodes:
  first: {kind: executor, exec_type: local_func, func: refuse}
  last: {kind: executor, exec_type: local_func, func: refuse}
edges: [{from: first, action: error, to: last}]
', '2030-01-01 00:00:00+00', 'flows/refused.yaml', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'refused flow', '1', 'flow', 'fc8fe6fa456e7d1b6ffc81b6bd4faa4c597be2070b8a01298bc80dc3393e05df', 'name: refused
start: first
nodes:
  first: {kind: executor, exec_type: local_func, func: refuse}
  last: {kind: executor, exec_type: local_func, func: refuse}
edges: [{from: first, action: error, to: last}]
', '2030-01-01 00:05:41+00', '', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'refused flow', '2', 'flow', '24a7b14f7a2cf3e5373a992e24ffc630d0dcc213da13d3c370519f8e8b3d6c69', '{start: a, nodes: {a: {kind: approval}}}', '2030-01-01 00:05:41+00', '', 'draft');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'reopened', 'auto-877d0ec943ea', 'code', '877d0ec943ea54287c07f76456a16c505bbe27d3c0c6285f83a1faffcc8d151f', '@workflow(catalog=catalog)
async def reopened() -> list[Any]:
    """Fails at its second step the first time; opened again, it goes on from there."""
    context().state.set("step", 1)
    first = await add(1, 1)
    second = await second_time_lucky("second")
    context().state.set("step", 2)
    return [first, second, await context().signal("go"), await add(2, 2)]
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:reopened', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'sleeping', 'auto-0c081d8b9d9e', 'code', '0c081d8b9d9eafce21fc459bbe3e54ee7caa97b0fe2cd7b1c0e7cf4644dcaefe', '@workflow(catalog=catalog)
async def sleeping(days: int) -> str:
    began = context().now()
    await add(1, 2)
    await asyncio.sleep(days * DAY)
    await add(3, 4)
    return str(context().now() - began)
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:sleeping', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'steps', 'auto-d662e45637ee', 'code', 'd662e45637eefa37cb37c3d046c7b96a04818ea44d03befeb8e27bdbf7ac3a50', '@workflow(catalog=catalog)
async def steps(first: int, second: int) -> dict[str, Any]:
    """Tasks in a row and at once, on a thread, retried; side effects, state, a patch, time and chance."""
    state = context().state
    total = await add(first, second)
    state.set("total", total)
    several = await asyncio.gather(*[add(total, number) for number in range(3)])
    on_a_thread = await add_on_a_thread(total, 1)
    lucky = await third_time_lucky("lucky")
    effect = await context().run("effect", lambda: {"read": "once"})
    failed_effect = ""
    try:
        await context().run("failing effect", int, "no number")
    except ValueError as error:
        failed_effect = str(error)
    state.set("gone", True)
    is_patched = context().patched("steps-v2")
    await asyncio.sleep(5)
    state.delete("gone")
    return {
        "total": total,
        "several": several,
        "thread": on_a_thread,
        "lucky": lucky,
        "effect": effect,
        "failed effect": failed_effect,
        "patched": is_patched,
        "now": context().now(),
        "random": context().random.random(),
        "uuid": str(context().uuid4()),
    }
', '2030-01-01 00:00:00+00', 'tests.compat.workflows:steps', 'published');
INSERT INTO holdfast.workflows (namespace, name, version, kind, hash, source, created_at, origin, status) VALUES ('default', 'talking', 'auto-ac773e1dcc57', 'code', 'ac773e1dcc57cb21fd0a563bbf65f2df051087251f322accdb90427d51bd8e6e', '@workflow(catalog=catalog)
async def talking() -> str:
    await talk("hello")
    heard = await context().signal("go", str)
    await talk(heard)
    return heard
', '2030-01-01 00:00:00+00', 'tests.compat.dags:talking', 'published');
ALTER TABLE holdfast.messages ALTER COLUMN id RESTART WITH 43;
ALTER TABLE holdfast.logs ALTER COLUMN number RESTART WITH 36;
