-- holdfast 0.5.0 on sqlite, made by `python -m tests.compat.record`. Never edited.
-- migration 0001 kernel
-- Instants are microseconds since 1970. Payloads and failures are JSON text. Keys of runs are the
-- 16 bytes of a UUIDv7, so that rows of one time lie side by side: random keys cost a factor of six.
-- WITHOUT ROWID keeps a row in its key's own tree, where it is always looked for.

CREATE TABLE schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (datetime('now'))
) STRICT;

CREATE TABLE runs (
    namespace   TEXT NOT NULL,
    key         BLOB NOT NULL,
    id          TEXT,
    workflow    TEXT NOT NULL,
    version     TEXT NOT NULL,
    claim       TEXT NOT NULL,
    status      TEXT NOT NULL,
    input       TEXT NOT NULL,
    output      TEXT,
    failure     TEXT,
    parent      BLOB,
    parent_seq  INTEGER,
    owner       TEXT,
    epoch       INTEGER NOT NULL,
    wake_at     INTEGER,
    waiting     TEXT,
    created_at  INTEGER NOT NULL,
    started_at  INTEGER,
    finished_at INTEGER,
    PRIMARY KEY (namespace, key)
) STRICT, WITHOUT ROWID;

-- A name given by the user belongs to one run.
CREATE UNIQUE INDEX runs_by_id ON runs (namespace, id) WHERE id IS NOT NULL;

-- What a node may take, in the order in which it became due. A run leaves this index when it is
-- taken, parked or over, so that the cost of a claim does not depend on what is not due.
CREATE INDEX runs_to_claim ON runs (namespace, claim, wake_at) WHERE owner IS NULL AND wake_at IS NOT NULL;

-- Whose runs to free when a node dies, and which of them have mail.
CREATE INDEX runs_by_owner ON runs (owner, wake_at) WHERE owner IS NOT NULL;

CREATE INDEX runs_by_parent ON runs (parent) WHERE parent IS NOT NULL;

-- For listing by state. Successful runs are most of the table and found without it.
CREATE INDEX runs_by_status ON runs (namespace, status, key) WHERE status <> 'success';

CREATE TABLE journal (
    run      BLOB NOT NULL,
    position INTEGER NOT NULL,
    step     BLOB NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
    run         BLOB NOT NULL,
    seq         INTEGER NOT NULL,
    name        TEXT NOT NULL,
    status      TEXT NOT NULL,
    attempt     INTEGER NOT NULL,
    lost        INTEGER NOT NULL,
    forgiven    INTEGER NOT NULL DEFAULT 0,
    input       TEXT NOT NULL,
    output      TEXT,
    failure     TEXT,
    heartbeat   TEXT,
    due_at      INTEGER,
    created_at  INTEGER NOT NULL,
    started_at  INTEGER,
    finished_at INTEGER,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

-- Attempts that did not succeed; one that did is the task's own row.
CREATE TABLE attempts (
    run         BLOB NOT NULL,
    seq         INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    status      TEXT NOT NULL,
    failure     TEXT,
    started_at  INTEGER,
    finished_at INTEGER NOT NULL,
    node        TEXT NOT NULL,
    PRIMARY KEY (run, seq, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
    run   BLOB NOT NULL,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: a message's id is never used again, also when rows are removed. Journals refer to it.
CREATE TABLE messages (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    run     BLOB NOT NULL,
    kind    TEXT NOT NULL,
    name    TEXT NOT NULL,
    payload TEXT NOT NULL,
    taken   INTEGER
) STRICT;

CREATE INDEX messages_by_run ON messages (run, id);

-- A promise is settled once.
CREATE UNIQUE INDEX messages_settle_once ON messages (run, name) WHERE kind IN ('resolved', 'rejected');

CREATE TABLE nodes (
    id          TEXT PRIMARY KEY,
    namespace   TEXT NOT NULL,
    tick        INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    started_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workflows (
    namespace  TEXT NOT NULL,
    name       TEXT NOT NULL,
    version    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    source     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, name, version)
) STRICT, WITHOUT ROWID;
-- end of migration
-- migration 0002 setbacks
-- How many nodes in a row have taken a run and come to nothing with it: they died, or had code that did
-- not fit it. Such runs are taken in ever smaller company, and not for ever.
ALTER TABLE runs ADD COLUMN setbacks INTEGER NOT NULL DEFAULT 0;
-- end of migration
-- migration 0003 dags
-- What tasks have said: a row holds some lines of one attempt, as JSON. AUTOINCREMENT, because whoever follows a
-- log asks for what came after the last number seen.
CREATE TABLE logs (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    run     BLOB NOT NULL,
    seq     INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    lines   TEXT NOT NULL
) STRICT;

CREATE INDEX logs_by_run ON logs (run, number);

-- Where a workflow was found last: a file, or module:name.
ALTER TABLE workflows ADD COLUMN origin TEXT NOT NULL DEFAULT '';

-- How many runs are above a run in its family.
ALTER TABLE runs ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;

-- `cursor` is the last tick that was dealt with, `queued` the ticks that wait for the run `active` to end, and
-- `revision` counts the changes: of two nodes that decide at the same time one is refused.
CREATE TABLE schedules (
    namespace  TEXT NOT NULL,
    name       TEXT NOT NULL,
    workflow   TEXT NOT NULL,
    input      TEXT NOT NULL,
    plan       TEXT NOT NULL,
    origin     TEXT NOT NULL,
    is_paused  INTEGER NOT NULL,
    revision   INTEGER NOT NULL,
    cursor     INTEGER NOT NULL,
    queued     TEXT NOT NULL,
    active     BLOB,
    next_at    INTEGER,
    skipped    INTEGER NOT NULL,
    skip_note  TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;
-- end of migration
-- migration 0004 flows
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
-- end of migration
-- migration 0005 facts
-- needs: 0004
-- Facts that were read out of prose, ids and versions get columns of their own. A node of 0.4.0 may go on writing
-- to this database: it leaves the new columns as they are, and what follows from that is said beside each of them.

-- What a run waits for: a kind and a name beside `waiting`, which says it in words. They count only while
-- `waiting_epoch` is the run's epoch: 0.4.0 writes `waiting` alone, but never twice under one epoch. What it writes has
-- no kind, so a message may wake a child before its turn if 0.4.0 has opened it again.
ALTER TABLE runs ADD COLUMN waiting_kind TEXT;
ALTER TABLE runs ADD COLUMN waiting_name TEXT;
ALTER TABLE runs ADD COLUMN waiting_epoch INTEGER;

-- The schedule that a run was started for. If 0.4.0 has started it, the next tick of the schedule may be some seconds
-- late where it waits for the end of this run.
ALTER TABLE runs ADD COLUMN schedule TEXT;

-- The number of a version of a flow that was put into the store, as a draft or published. NULL for all that nodes bring.
ALTER TABLE workflows ADD COLUMN number INTEGER;

-- Where the worker that has made an attempt was called. `worker` is its id alone.
ALTER TABLE attempts ADD COLUMN worker_url TEXT NOT NULL DEFAULT '';

-- For as long as 0.4.0 writes here: it has no numbers, and writes id and URL into `worker`, with a space between them.
-- To drop these triggers is for a later migration.
CREATE TRIGGER workflows_of_0_4_0 AFTER INSERT ON workflows
WHEN NEW.number IS NULL AND NEW.kind = 'flow'
    AND NEW.version NOT GLOB '*[^0-9]*' AND length(NEW.version) BETWEEN 1 AND 18
BEGIN
    UPDATE workflows SET number = CAST(NEW.version AS INTEGER)
    WHERE namespace = NEW.namespace AND name = NEW.name AND version = NEW.version;
END;

-- Text up to its last space is what is left when all that is not a space is trimmed from its end.
CREATE TRIGGER attempts_of_0_4_0 AFTER INSERT ON attempts
WHEN NEW.worker_url = '' AND NEW.worker LIKE '_% %://%'
BEGIN
    UPDATE attempts
    SET worker = trim(rtrim(worker, replace(worker, ' ', ''))),
        worker_url = substr(worker, length(rtrim(worker, replace(worker, ' ', ''))) + 1)
    WHERE run = NEW.run AND seq = NEW.seq AND attempt = NEW.attempt
        AND instr(substr(worker, length(rtrim(worker, replace(worker, ' ', ''))) + 1), '://');
END;
-- end of migration
-- migration 0006 fill_facts
-- needs: 0004
-- The columns of 0005, for rows that were written before. Of `runs` only those that have not ended: nothing asks the
-- others.

-- `waiting` begins with the words of what the run waits for first. Its name is what follows, up to `ending`.
WITH kinds (words, kind, ending) AS (
    VALUES ('its turn in ', 'turn', '; '),
           ('child ', 'child', ', '),
           ('signal ', 'signal', '; '),
           ('promise ', 'promise', '; '),
           ('approval ', 'approval', '; '),
           ('another try of task ', 'retry', ', which was '),
           ('a worker of service ', 'service', ' ('),
           ('until ', 'timer', '; '),
           ('code that it fits', 'code', '; ')
), waiting_runs AS (
    SELECT namespace, key, kind, ending,
        substr(waiting, length(words) + 1, instr(waiting || '; ', '; ') - length(words) - 1) AS rest
    FROM runs JOIN kinds ON substr(waiting, 1, length(words)) = words
    WHERE status IN ('pending', 'running', 'paused', 'parked')
)
UPDATE runs
SET waiting_epoch = epoch,
    waiting_kind = found.kind,
    waiting_name = CASE WHEN found.kind = 'code' THEN workflow
                        ELSE trim(substr(rest, 1, instr(rest || ending, ending) - 1), '''"') END
FROM waiting_runs AS found
WHERE runs.namespace = found.namespace AND runs.key = found.key;

-- The id of a run that a schedule has started is the name of the schedule, an @ and the tick. Text up to its last @ is
-- what is left when all that is not an @ is trimmed from its end.
UPDATE runs SET schedule = schedules.name
FROM schedules
WHERE runs.status IN ('pending', 'running', 'paused', 'parked')
    AND schedules.namespace = runs.namespace
    AND schedules.name || '@' = rtrim(runs.id, replace(runs.id, '@', ''));

UPDATE workflows SET number = CAST(version AS INTEGER)
WHERE kind = 'flow' AND version NOT GLOB '*[^0-9]*' AND length(version) BETWEEN 1 AND 18;

UPDATE attempts
SET worker = trim(rtrim(worker, replace(worker, ' ', ''))),
    worker_url = substr(worker, length(rtrim(worker, replace(worker, ' ', ''))) + 1)
WHERE worker LIKE '_% %://%'
    AND instr(substr(worker, length(rtrim(worker, replace(worker, ' ', ''))) + 1), '://');
-- end of migration
-- migration 0007 runs_by_workflow
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
-- end of migration
-- migration 0008 stalls
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
-- end of migration
-- migration 0009 fleet
-- needs: 0004
-- Facts that let the nodes of a fleet share the work without asking each other. A node of 0.4.0 writes neither.

-- The node that released the run. It is told when the run has something to do again, and no other is. NULL: all are.
ALTER TABLE runs ADD COLUMN last_owner TEXT;

-- Which workflows the node serves, as a hash. Nodes with the same hash share new runs. NULL: the node takes no part.
ALTER TABLE nodes ADD COLUMN serves TEXT;

-- When the node last looked for work, within half a minute. So others know of it while it is idle and has no lease.
-- NULL: the node takes no part. SQLite leaves it NULL: an idle program writes nothing.
ALTER TABLE nodes ADD COLUMN seen_at INTEGER;
-- end of migration
-- migration 0010 shared_inputs
-- needs: 0004
-- Fields that the inputs of several tasks have in common: the params of a foreach. They are stored once, under the
-- number of the first of these tasks, and `tasks.shares` refers to them. NULL: `tasks.input` is the whole input.
-- Older releases park a run that has such tasks, because they do not know its journal.
CREATE TABLE shared_inputs (
    run    BLOB NOT NULL,
    seq    INTEGER NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

ALTER TABLE tasks ADD COLUMN shares INTEGER;
-- end of migration
-- migration 0011 terms
-- needs: 0004
-- What a run is started with besides its input, and what its end says. Older releases start runs without it.

-- Deadline, tags, note and who started it, as JSON. NULL: none.
ALTER TABLE runs ADD COLUMN options TEXT;

-- Due runs of a higher priority are claimed first.
ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

CREATE TABLE run_tags (
    namespace TEXT NOT NULL,
    tag       TEXT NOT NULL,
    run       BLOB NOT NULL,
    PRIMARY KEY (namespace, tag, run)
) STRICT, WITHOUT ROWID;

-- Stands for the cause of a failure: its class, its place and its message without numbers, as a hash. For grouping failures.
ALTER TABLE runs ADD COLUMN fingerprint TEXT;

-- Who has sent a message, and when. Acts of operators are messages as well.
ALTER TABLE messages ADD COLUMN posted_by TEXT;
ALTER TABLE messages ADD COLUMN posted_at INTEGER;
-- end of migration
-- migration 0012 indexes_of_terms
-- needs: 0004
-- Due runs of a higher priority. Nearly all runs have 0 and are not in this index.
CREATE INDEX runs_urgent ON runs (namespace, claim, priority, wake_at)
    WHERE owner IS NULL AND wake_at IS NOT NULL AND priority > 0;

-- Failures by cause, the newest last.
CREATE INDEX runs_by_fingerprint ON runs (namespace, fingerprint, key) WHERE fingerprint IS NOT NULL;
-- end of migration
-- migration 0013 streams
-- needs: 0004
-- Items that tasks and workflows publish, for whoever reads the stream while the run goes on. A row has a batch of
-- items. Each stream of a run counts its items from 0: the row has those from `first_offset` to `next_offset`,
-- without the last. `total_bytes` is the size of all rows of the stream up to this one, those that were dropped too.
CREATE TABLE stream_items (
    run          BLOB NOT NULL,
    name         TEXT NOT NULL,
    seq          INTEGER NOT NULL, -- the number of the task; -1: the code of the workflow
    attempt      INTEGER NOT NULL, -- 0: the code of the workflow
    is_first     INTEGER NOT NULL, -- 1: the attempt has published nothing to this stream before
    first_offset INTEGER NOT NULL,
    next_offset  INTEGER NOT NULL,
    total_bytes  INTEGER NOT NULL,
    items        TEXT NOT NULL -- JSON: a list of instants and values
) STRICT;

CREATE UNIQUE INDEX stream_items_by_offset ON stream_items (run, name, next_offset);
-- end of migration
-- migration 0014 message_ids
-- needs: 0004
-- What the sender of a message calls it, so that a message that is sent again is not added again. NULL: it has no name,
-- as those of nodes.
ALTER TABLE messages ADD COLUMN uid TEXT;
-- end of migration
-- migration 0015 index_of_message_ids
-- needs: 0004
CREATE UNIQUE INDEX messages_once ON messages (run, uid) WHERE uid IS NOT NULL;
-- end of migration
-- migration 0016 updates
-- needs: 0004
-- An update is a message with an answer: what its handler returned or raised, or why it was refused.
ALTER TABLE messages ADD COLUMN answer TEXT; -- JSON
-- end of migration
-- migration 0017 changes
-- needs: 0004
-- What happened to runs, for watchers: one row for each transaction that changed some. The rows are read in the
-- order of `id`. The oldest are removed after a while, but there is always one: a watcher that has read as far as a
-- row that is still there has missed nothing.
CREATE TABLE changes (
    id        INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    at        INTEGER NOT NULL,
    size      INTEGER NOT NULL, -- of the body, in bytes
    body      BLOB NOT NULL -- MessagePack; see change_log.py
) STRICT;

INSERT INTO changes (namespace, at, size, body) VALUES ('', unixepoch() * 1000000, 0, x'');
-- end of migration
-- migration 0018 lost_runs
-- needs: 0004
-- Runs that were taken from their node because a new run has replaced them. The node reads its rows and forgets
-- the runs. Older nodes do not read them; they find out when they commit something of the run.
CREATE TABLE lost_runs (
    node TEXT NOT NULL,
    run  BLOB NOT NULL,
    PRIMARY KEY (node, run)
) STRICT, WITHOUT ROWID;
-- end of migration
-- migration 0019 chapters
-- needs: 0004
-- A run may go on as a new chapter: from the start of its code, with another input. `runs.chapter` counts how often it
-- has, and `runs.input` is the input of its last chapter. Positions of steps and numbers of tasks, timers and children
-- go on counting: a chapter begins with those in its row. The first chapter has a row only if there is a second.
-- Older releases park a run that has gone on so, because they do not know its journal.
ALTER TABLE runs ADD COLUMN chapter INTEGER NOT NULL DEFAULT 0;

CREATE TABLE chapters (
    run            BLOB NOT NULL,
    number         INTEGER NOT NULL,
    first_position INTEGER NOT NULL,
    first_task     INTEGER NOT NULL,
    first_timer    INTEGER NOT NULL,
    first_child    INTEGER NOT NULL,
    input          TEXT NOT NULL,
    state          TEXT, -- with which the chapter began, as a JSON object; NULL: none
    began_at       INTEGER NOT NULL,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
-- end of migration
-- migration 0020 streams_by_age
-- needs: 0004
-- When the items of a row are dropped, as the setting of the node says that wrote them. NULL: not by age.
ALTER TABLE stream_items ADD COLUMN drop_at INTEGER;

CREATE INDEX stream_items_to_drop ON stream_items (drop_at) WHERE drop_at IS NOT NULL;
-- end of migration
-- migration 0021 questions
-- needs: 0004
-- What runs ask the world outside for: promises, questions to people, approvals. A question is open until it is
-- answered, until nobody waits for the answer any more, or until its run ends.
CREATE TABLE questions (
    run         BLOB NOT NULL,
    number      INTEGER NOT NULL, -- each run counts its own
    namespace   TEXT NOT NULL,
    name        TEXT NOT NULL,
    details     TEXT NOT NULL, -- JSON: title, facts, schema of the answer, who may answer
    asked_at    INTEGER NOT NULL,
    closed_at   INTEGER, -- NULL: open
    is_answered INTEGER NOT NULL DEFAULT 0,
    message     INTEGER, -- the answer, if it came before the run asked
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX questions_open ON questions (namespace, asked_at, run, number) WHERE closed_at IS NULL;
CREATE INDEX questions_open_by_name ON questions (run, name, number) WHERE closed_at IS NULL;
CREATE INDEX questions_by_name ON questions (run, name, number);
CREATE INDEX questions_by_message ON questions (message) WHERE message IS NOT NULL;

-- The question that a message answers. NULL: none, or it came before the run asked, or from an older release.
ALTER TABLE messages ADD COLUMN question INTEGER;
ALTER TABLE messages ADD COLUMN comment TEXT;

-- The number of the next question, and the questions that go on, when a chapter begins. NULL: the run has asked
-- nothing yet.
ALTER TABLE chapters ADD COLUMN questions TEXT;

-- A question is answered once, but a name may be asked for again. Older releases look whether a name is settled
-- before they write, and do not need the index for that.
DROP INDEX messages_settle_once;
-- end of migration
-- migration 0022 answers_ahead
-- needs: 0004
-- Answers that came before the run asked.
CREATE INDEX messages_ahead ON messages (run, name) WHERE kind IN ('resolved', 'rejected') AND question IS NULL;
-- end of migration
-- migration 0023 access
-- needs: 0004
-- Keys of people and programs that use the server. The secret of a key is not here, only its hash.
CREATE TABLE keys (
    id         TEXT PRIMARY KEY,
    namespace  TEXT NOT NULL, -- '*': all
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    hash       TEXT NOT NULL, -- SHA-256 of the secret, as hexadecimal digits
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    used_at    INTEGER, -- about when it was used last
    revoked_at INTEGER,
    revoked_by TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX keys_by_namespace ON keys (namespace, created_at, id);

-- What people and programs have changed. Rows are only added, and the oldest are removed after a while if a node was
-- told so.
CREATE TABLE audit (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    at        INTEGER NOT NULL,
    by        TEXT NOT NULL,
    key       TEXT, -- the id of the key; NULL: without one
    action    TEXT NOT NULL,
    target    TEXT NOT NULL,
    request   TEXT, -- the id that the caller gave to the request
    before    TEXT, -- JSON
    after     TEXT, -- JSON
    uid       TEXT NOT NULL -- made by the writer, so that a row that is sent again is added once
) STRICT;

CREATE UNIQUE INDEX audit_once ON audit (uid);
CREATE INDEX audit_by_namespace ON audit (namespace, number);
CREATE INDEX audit_by_target ON audit (namespace, target, number);
-- end of migration
-- migration 0024 definitions
-- needs: 0004
-- What the input of a workflow looks like: its JSON Schema and the order of its parameters, as JSON. NULL: not known, as for all
-- that older releases have registered.
ALTER TABLE workflows ADD COLUMN input_schema TEXT;

-- When a node or a client has registered the version last. NULL: not since this column exists.
ALTER TABLE workflows ADD COLUMN seen_at INTEGER;
-- end of migration
-- migration 0025 lists
-- needs: 0004
-- The runs of a schedule, the newest last. Other runs are not in this index. The index of children has their keys in order
-- already: SQLite adds the primary key to each entry.
CREATE INDEX runs_by_schedule ON runs (namespace, schedule, key) WHERE schedule IS NOT NULL;
-- end of migration
-- migration 0026 sessions
-- needs: 0004
-- Sessions of people who have logged in with a browser. The secret of a session is not here, only its hash.
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    namespace  TEXT NOT NULL, -- '*': all
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    hash       TEXT NOT NULL, -- SHA-256 of the secret, as hexadecimal digits
    key        TEXT, -- the id of the key that it was made with; NULL: none
    subject    TEXT NOT NULL, -- who has logged in: the id of the key, or what the identity provider says
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL -- about when it was used last
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_namespace ON sessions (namespace, created_at, id);
CREATE INDEX sessions_by_subject ON sessions (subject, created_at, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
-- end of migration
-- migration 0027 minutes
-- needs: 0004
-- How many runs were started and ended in each minute of about a week. A row is used again for the minute that comes so
-- many slots later, so nobody has to delete any.
CREATE TABLE run_minutes (
    namespace TEXT NOT NULL,
    slot      INTEGER NOT NULL, -- the minute modulo the number of slots
    writer    INTEGER NOT NULL, -- always 0: SQLite has one writer
    minute    INTEGER NOT NULL, -- since 1970
    started   INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    PRIMARY KEY (namespace, slot, writer)
) STRICT, WITHOUT ROWID;
-- end of migration
-- migration 0028 alerts
-- needs: 0004
-- Rules that say whom to tell of runs that fail, are parked, are late or wait for an answer.
CREATE TABLE alerts (
    namespace  TEXT NOT NULL,
    name       TEXT NOT NULL,
    rule       TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;
-- end of migration
-- migration 0029 answers
-- needs: 0004
-- Questions that are closed, the newest last, and the answer to a question: for a list of what was answered.
CREATE INDEX questions_closed ON questions (namespace, closed_at, run, number) WHERE closed_at IS NOT NULL;

CREATE INDEX messages_answering ON messages (run, question) WHERE question IS NOT NULL;
-- end of migration
-- migration 0030 node_reports
-- needs: 0004
-- What a node says of itself: its version, its queues with their limits, and what waits there. JSON.
-- And what it was asked: to end in order. The node reads that when it looks for work.
ALTER TABLE nodes ADD COLUMN report TEXT;
ALTER TABLE nodes ADD COLUMN drain_asked_at INTEGER;
ALTER TABLE nodes ADD COLUMN drain_asked_by TEXT;
-- end of migration
CREATE TABLE IF NOT EXISTS schema_changes (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (datetime('now'))
) STRICT;
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000001', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456000000000, 1893456000000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000001', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456010000000, 1893456010000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000001', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456030000000, 1893456030000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000002', 0, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', 1893456000000000, 1893456000000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000000b', 0, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', 1893456000000000, 1893456000000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000000d', 1, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', 1893456000000000, 1893456000000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000000e', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456000000000, 1893456000000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000000e', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456010000000, 1893456010000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000000e', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456030000000, 1893456030000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000010', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456060000000, 1893456060000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000010', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456070000000, 1893456070000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000010', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456090000000, 1893456090000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000011', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456120000000, 1893456120000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000011', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456130000000, 1893456130000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000011', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456150000000, 1893456150000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000014', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456180000000, 1893456180000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000014', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456190000000, 1893456190000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000014', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456210000000, 1893456210000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000017', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456240000000, 1893456240000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000017', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456250000000, 1893456250000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000017', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456270000000, 1893456270000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000001d', 1, 1, 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', 1893456281000000, 1893456281000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000001e', 1, 1, 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', 1893456281000000, 1893456281000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000001f', 1, 1, 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', 1893456281000000, 1893456281000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000021', 1, 1, 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', 1893456281000000, 1893456281000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000022', 1, 1, 'failed', '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1}}', 1893456281000000, 1893456281000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000025', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456300000000, 1893456300000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000025', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456310000000, 1893456310000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000025', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456330000000, 1893456330000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000027', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456341000000, 1893456341000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000027', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456351000000, 1893456351000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000027', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456371000000, 1893456371000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000028', 3, 1, 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', 1893456351000000, 1893456351000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000028', 11, 1, 'success', NULL, 1893456361000000, 1893456361000000, 'node:2265b1f5', 'worker', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000029', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456360000000, 1893456360000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000029', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456370000000, 1893456370000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000029', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456390000000, 1893456390000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000002a', 3, 1, 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', 1893456361000000, 1893456361000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000002b', 3, 1, 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', 1893456371000000, 1893456371000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000002c', 3, 1, 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', 1893456381000000, 1893456381000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000002d', 0, 1, 'failed', '{"type":"builtins:ValueError","message":"not None","traceback":"left out"}', 1893456391000000, 1893456391000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000002d', 1, 1, 'failed', '{"type":"builtins:ValueError","message":"not None","traceback":"left out"}', 1893456391000000, 1893456391000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000002e', 0, 1, 'failed', '{"type":"builtins:ValueError","message":"not None","traceback":"left out"}', 1893456401000000, 1893456401000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000002e', 1, 1, 'failed', '{"type":"builtins:ValueError","message":"not None","traceback":"left out"}', 1893456401000000, 1893456401000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000002f', 3, 1, 'failed', '{"type":"builtins:ValueError","message":"not 500","traceback":"left out"}', 1893456411000000, 1893456411000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000030', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456420000000, 1893456420000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000030', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456430000000, 1893456430000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000030', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456450000000, 1893456450000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000003b', 0, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', 1893456481000000, 1893456481000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000003c', 1, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', 1893456481000000, 1893456481000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000003d', 1, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', 1893456481000000, 1893456481000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000003f', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456481000000, 1893456481000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000003f', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out","bases":["builtins:OSError"]}', 1893456491000000, 1893456491000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d000000000000003f', 7, 1, 'failed', '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out"}', 1893456511000000, 1893456511000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000042', 2, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456542000000, 1893456542000000, 'node:2265b1f5', '', '');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url) VALUES (x'37a8eec1ce19687d0000000000000043', 2, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out","bases":["builtins:OSError"]}', 1893456542000000, 1893456542000000, 'node:2265b1f5', '', '');
INSERT INTO chapters (run, number, first_position, first_task, first_timer, first_child, input, state, began_at, questions) VALUES (x'37a8eec1ce19687d0000000000000040', 0, 0, 0, 0, 0, '{"greeted":[]}', NULL, 1893456541000000, NULL);
INSERT INTO chapters (run, number, first_position, first_task, first_timer, first_child, input, state, began_at, questions) VALUES (x'37a8eec1ce19687d0000000000000040', 1, 4, 1, 0, 0, '{"greeted":["ann in chapter 1"]}', '{"greeted":1}', 1893456541000000, NULL);
INSERT INTO chapters (run, number, first_position, first_task, first_timer, first_child, input, state, began_at, questions) VALUES (x'37a8eec1ce19687d0000000000000041', 0, 0, 0, 0, 0, '{"greeted":[]}', NULL, 1893456541000000, NULL);
INSERT INTO chapters (run, number, first_position, first_task, first_timer, first_child, input, state, began_at, questions) VALUES (x'37a8eec1ce19687d0000000000000041', 1, 4, 1, 0, 0, '{"greeted":["ann in chapter 1"]}', '{"greeted":1}', 1893456541000000, NULL);
INSERT INTO flows (namespace, id, name, description, created_at) VALUES ('default', 'refused flow', 'refused flow', '', 1893456341000000);
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 0, x'94cf0006ba1694472000909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 1, x'94cf0006ba16944720009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 2, x'94cf0006ba16944720009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 3, x'94cf0006ba16944720009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 4, x'94cf0006ba169610e3809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 5, x'94cf0006ba169610e3809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 6, x'94cf0006ba169610e3809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16965d2ec002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 7, x'94cf0006ba16965d2ec09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000002', 0, x'94cf0006ba1694472000909195a15400a76465636c696e6580ce3d7d385f02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000002', 1, x'94cf0006ba16944720009192a174009192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000003', 0, x'94cf0006ba1694472000909195a15400a46563686f80cedabe320f02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000003', 1, x'95cf0006ba16944720009192a174009002919300a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000003', 2, x'94cf0006ba16944720009192a16d039192a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000004', 0, x'95cf0006ba1694472000909193a153a96c697374656e696e67ce6680327002919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000004', 1, x'95cf0006ba16944720009392a16d0992a16d0a92a16d0b9193a15700cf0006ba169610e38002919300a67369676e616ca56e65766572');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000004', 2, x'95cf0006ba169610e3809192a166009195a15400a361646480cedf2a351f02919300a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000004', 3, x'94cf0006ba169610e3809192a174009192a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000005', 0, x'94cf0006ba1694472000909193a15100a8617070726f76616c02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000005', 1, x'94cf0006ba16944720009292a16d0492a16d059393a15101a77061796d656e7492a243510192a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 0, x'94cf0006ba1694472000909397a14800a96c697374656e696e67c2b566696e69736865642d66616d696c792d6368696c64ce7c0f800fc297a14801a96c697374656e696e67c3b866696e69736865642d66616d696c792d6465746163686564ce96e885e0c297a14802a57374657073c2a574616b656ecea3e14c6dc202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 1, x'94cf0006ba16944720009193a16302c39197a14803a76661696c696e67c2b766696e69736865642d66616d696c792d6661696c696e67cea3a6bf43c202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 2, x'94cf0006ba16944720009193a16303c39197a14804a57374657073c2b166696e69736865642d66616d696c792f34ce88cc1faec202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 3, x'94cf0006ba169610e3809193a16300c29002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 4, x'94cf0006ba16965d2ec09193a16304c29192a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000007', 0, x'95cf0006ba1694472000909193a153a96c697374656e696e67ce317ed33902919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000007', 1, x'95cf0006ba16944720009392a16d0c92a16d0d92a16d0e9193a15700cf0006ba169610e38002919300a67369676e616ca56e65766572');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000007', 2, x'95cf0006ba169610e3809192a166009195a15400a361646480cedf2a351f02919300a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000007', 3, x'94cf0006ba169610e3809192a174009192a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000008', 0, x'95cf0006ba1694472000909193a153a96c697374656e696e67ce50c4d9d602919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000a', 0, x'94cf0006ba1694472000909193a15100a56e6576657202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000a', 1, x'94cf0006ba16944720009292a16d0692a16d079292a243510095a15400a361646480ce7803e39d02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000a', 2, x'95cf0006ba16944720009192a174009192a145a963616e63656c6c656402919300a67369676e616ca5636c65616e');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000b', 0, x'94cf0006ba1694472000909195a15400a76465636c696e6580ce3d7d385f02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000b', 1, x'94cf0006ba16944720009192a174009192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 0, x'94cf0006ba1694472000909193a15100a8617070726f76616c02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 1, x'94cf0006ba1697daa7009192a164cf0006ba1697daa7009292a243510092a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 0, x'94cf0006ba1694472000909293a153a473746570ce83dcefb795a15400a361646480ce1f691de602');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 1, x'94cf0006ba16944720009192a174009195a15401b17365636f6e645f74696d655f6c75636b7980ce115f4add02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 2, x'94cf0006ba16944720009192a174019192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 3, x'94cf0006ba16944720009198a172020200009090009002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 4, x'94cf0006ba16944720009192a16d089193a153a473746570c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 5, x'95cf0006ba16944720009192a174019293a153a473746570ce1ad5be0d95a15402a361646480ce43da9cd502919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 6, x'94cf0006ba16944720009192a174029192a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 0, x'94cf0006ba1694472000909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 1, x'94cf0006ba16944720009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 2, x'94cf0006ba16944720009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 3, x'94cf0006ba16944720009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 4, x'94cf0006ba169610e3809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 5, x'94cf0006ba169610e3809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 6, x'94cf0006ba169610e3809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16965d2ec002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 7, x'94cf0006ba16965d2ec09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000f', 0, x'94cf0006ba1697daa700909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000f', 1, x'94cf0006ba1697daa7009192a174009193a15700cf0006ba2ab5b2070002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 0, x'94cf0006ba1697daa700909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 1, x'94cf0006ba1697daa7009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 2, x'94cf0006ba1697daa7009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 3, x'94cf0006ba1697daa7009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 4, x'94cf0006ba1699a46a809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 5, x'94cf0006ba1699a46a809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 6, x'94cf0006ba1699a46a809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba1699f0b5c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 7, x'94cf0006ba1699f0b5c09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 0, x'94cf0006ba169b6e2e00909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 1, x'94cf0006ba169b6e2e009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 2, x'94cf0006ba169b6e2e009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 3, x'94cf0006ba169b6e2e009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 4, x'94cf0006ba169d37f1809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 5, x'94cf0006ba169d37f1809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 6, x'94cf0006ba169d37f1809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba169d843cc002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 7, x'94cf0006ba169d843cc09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000012', 0, x'94cf0006ba169b6e2e00909295a15400a4686f6c6483a774696d656f7574a3503344a9686561727462656174a3503244a87072696f7269747903ce071e49d193a15700cf0006ba169b9bf4c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000012', 1, x'94cf0006ba169b9bf4c09192a166009392a243540095a15401a4686f6c6483a774696d656f7574a3503344a9686561727462656174a3503244a87072696f7269747903ce8125562893a15701cf0006ba169c06c48002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000012', 2, x'94cf0006ba169c06c4809192a166019392a243540193a15702cf0006ba169f9a4b8095a15402a361646480ce1f691de602');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000012', 3, x'94cf0006ba169c06c4809192a174029392a243570297a14800a96c697374656e696e67c2b566696e69736865642d726163696e672d6c6f736572ced8b1df35c293a15703cf0006ba169c1606c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000012', 4, x'94cf0006ba169c1606c09192a166039292a243480092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000013', 0, x'95cf0006ba169c06c480909193a153a96c697374656e696e67ce5ee5845f02919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000013', 1, x'94cf0006ba169c1606c09192a16d119192a145a963616e63656c6c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 0, x'94cf0006ba169f01b500909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 1, x'94cf0006ba169f01b5009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 2, x'94cf0006ba169f01b5009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 3, x'94cf0006ba169f01b5009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 4, x'94cf0006ba16a0cb78809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 5, x'94cf0006ba16a0cb78809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 6, x'94cf0006ba16a0cb78809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16a117c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 7, x'94cf0006ba16a117c3c09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 0, x'94cf0006ba16a032e200909493a15700cf0006c1291deaa20095a15400a47061636b80c093a14f01a47265737493a15701cf0006ba16a1fca58002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 1, x'94cf0006ba16a032e2009192a174009195a15402a47061636b80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 2, x'94cf0006ba16a032e2009192a174029293a14c03a672657475726e95a15404a56c6162656c80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 3, x'94cf0006ba16a032e2009192a174049393a14f05a46761746593a15702cf0006becd9ead620093a15100a46761746502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 4, x'94cf0006ba16a032e2009292a16d1292a16d139492a243570293a14c05a46761746593a14f06a2676f93a14c06a2676f02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 5, x'94cf0006ba16a1fca5809192a166019393a14c01a47265737493a14f07a463616c6c97a14800a8736c656570696e67c2b16461672d66696e69736865642f63616c6cc0c202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 6, x'94cf0006ba16a1fca5809193a16300c29393a14c07a463616c6c93a14c08a76e6f7468696e6792a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000016', 0, x'94cf0006ba16a1fca580909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000016', 1, x'94cf0006ba16a1fca5809192a174009195a15401a361646480ce8e25773c02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000016', 2, x'94cf0006ba16a1fca5809192a174019192a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 0, x'94cf0006ba16a2953c00909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 1, x'94cf0006ba16a2953c009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 2, x'94cf0006ba16a2953c009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 3, x'94cf0006ba16a2953c009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 4, x'94cf0006ba16a45eff809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 5, x'94cf0006ba16a45eff809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 6, x'94cf0006ba16a45eff809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16a4ab4ac002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 7, x'94cf0006ba16a4ab4ac09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000018', 0, x'94cf0006ba16a2953c00909493a15700cf0006c129204cfc0095a15400a47061636b80c093a14f01a47265737493a15701cf0006ba16a45eff8002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000018', 1, x'94cf0006ba16a2953c009192a174009195a15402a47061636b80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000018', 2, x'94cf0006ba16a2953c009192a174029293a14c03a672657475726e95a15404a56c6162656c80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000018', 3, x'94cf0006ba16a2953c009192a174049393a14f05a46761746593a15702cf0006becda10fbc0093a15100a46761746502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000018', 4, x'94cf0006ba16a2953c009292a16d1592a16d169492a243570293a14c05a46761746593a14f06a2676f93a14c06a2676f02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000018', 5, x'94cf0006ba16a45eff809192a166019393a14c01a47265737493a14f07a463616c6c97a14800a8736c656570696e67c2bc6461672d77616974696e672d666f722d612d6368696c642f63616c6cc0c202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000019', 0, x'94cf0006ba16a45eff80909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000019', 1, x'94cf0006ba16a45eff809192a174009193a15700cf0006ba2ac2365f8002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001a', 0, x'94cf0006ba16a4f79600909493a15700cf0006c12922af560095a15400a47061636b80c093a14f01a47265737493a15701cf0006ba16a6c1598002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001a', 1, x'94cf0006ba16a4f796009192a174009195a15402a47061636b80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001a', 2, x'94cf0006ba16a4f796009192a174029293a14c03a672657475726e95a15404a56c6162656c80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001a', 3, x'94cf0006ba16a4f796009192a174049393a14f05a46761746593a15702cf0006becda372160093a15100a46761746502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001a', 4, x'94cf0006ba16a6c159809192a166019193a14c01a47265737402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 0, x'94cf0006ba16a4f79600909493a15700cf0006c12922af560095a15400a47061636b80c093a14f01a47265737493a15701cf0006ba16a6c1598002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 1, x'94cf0006ba16a4f796009192a174009195a15402a47061636b80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 2, x'94cf0006ba16a4f796009192a174029293a14c03a672657475726e95a15404a56c6162656c80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 3, x'94cf0006ba16a4f796009192a174049393a14f05a46761746593a15702cf0006becda372160093a15100a46761746502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 4, x'94cf0006ba16a4f796009192a16d179392a243570293a14c05a46761746593a14f06a2676f02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 5, x'94cf0006ba16a6c159809192a166019193a14c01a47265737402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001c', 0, x'94cf0006ba16a4f79600909493a15700cf0006c12922af560095a15400a47061636b80c093a14f01a47265737493a15701cf0006ba16a6c1598002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001c', 1, x'94cf0006ba16a4f796009192a174009195a15402a47061636b80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001c', 2, x'94cf0006ba16a4f796009192a174029293a14c03a672657475726e95a15404a56c6162656c80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001c', 3, x'94cf0006ba16a4f796009192a174049393a14f05a46761746593a15702cf0006becda372160093a15100a46761746502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001c', 4, x'94cf0006ba16a4f796009192a16d189493a14c01a47265737493a14c05a46761746592a243510092a145a963616e63656c6c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001d', 0, x'94cf0006ba16a506d840909195a15400a5666972737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001d', 1, x'94cf0006ba16a506d8409192a174009195a15401a362616480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001d', 2, x'94cf0006ba16a506d8409192a174019293a14c02a5616674657295a15403a46c61737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001d', 3, x'94cf0006ba16a506d8409192a174039192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 0, x'94cf0006ba16a506d840909195a15400a5666972737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 1, x'94cf0006ba16a506d8409192a174009195a15401a362616480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 2, x'94cf0006ba16a506d8409192a174019293a14c02a5616674657295a15403a46c61737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 3, x'94cf0006ba16a506d8409192a174039192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 4, x'94cf0006ba16a506d8409198a17204040000910190009002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 5, x'94cf0006ba16a506d840909192a1520102');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 6, x'94cf0006ba16a506d8409192a174019293a14f04a5616674657293a15100a5616674657202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 0, x'94cf0006ba16a506d840909195a15400a5666972737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 1, x'94cf0006ba16a506d8409192a174009195a15401a362616480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 2, x'94cf0006ba16a506d8409192a174019293a14c02a5616674657295a15403a46c61737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 3, x'94cf0006ba16a506d8409192a174039192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 4, x'94cf0006ba16a506d8409198a17204040000910190009002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 5, x'94cf0006ba16a506d840909192a1520102');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 6, x'94cf0006ba16a506d8409192a174019293a14f04a5616674657293a15100a5616674657202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 7, x'94cf0006ba16a506d8409192a16d1b9293a14c04a5616674657292a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000020', 0, x'94cf0006ba16a506d840909293a14f00a463616c6c97a14800a766726167696c65c2ba6461672d63616c6c696e672d696e2d7475726e2f63616c6c2f30c0c202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000020', 1, x'94cf0006ba16a506d8409193a16300c39393a14c00a463616c6c93a14f01a463616c6c97a14801a766726167696c65c2ba6461672d63616c6c696e672d696e2d7475726e2f63616c6c2f31c0c202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000020', 2, x'94cf0006ba16a506d8409193a16301c39293a14c01a463616c6c92a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000020', 3, x'94cf0006ba16a506d8409198a1720302000290920001009002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000020', 4, x'94cf0006ba16a506d840909293a14f02a463616c6c92a252430002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000021', 0, x'94cf0006ba16a506d840909195a15400a5666972737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000021', 1, x'94cf0006ba16a506d8409192a174009195a15401a362616480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000021', 2, x'94cf0006ba16a506d8409192a174019293a14c02a5616674657295a15403a46c61737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000021', 3, x'94cf0006ba16a506d8409192a174039192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000021', 4, x'94cf0006ba16a506d8409198a17204040000910190009002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000021', 5, x'94cf0006ba16a506d840909192a1520102');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000021', 6, x'94cf0006ba16a506d8409192a174019293a14f04a5616674657293a15100a5616674657202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000022', 0, x'94cf0006ba16a506d840909195a15400a5666972737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000022', 1, x'94cf0006ba16a506d8409192a174009195a15401a362616480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000022', 2, x'94cf0006ba16a506d8409192a174019293a14c02a5616674657295a15403a46c61737480c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000022', 3, x'94cf0006ba16a506d8409192a174039192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000022', 4, x'94cf0006ba16a506d8409198a17204040000910190009002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000023', 0, x'94cf0006ba16a506d840909293a14f00a46761746593a15100a46761746502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000024', 0, x'94cf0006ba16a506d840909195a15400a474616c6b80ce155d444302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000024', 1, x'95cf0006ba16a506d8409192a174009002919300a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000025', 0, x'94cf0006ba16a628c300909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000025', 1, x'94cf0006ba16a628c3009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000025', 2, x'94cf0006ba16a628c3009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000025', 3, x'94cf0006ba16a628c3009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000025', 4, x'94cf0006ba16a7f286809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000025', 5, x'94cf0006ba16a7f286809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000025', 6, x'94cf0006ba16a7f286809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16a83ed1c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000025', 7, x'94cf0006ba16a83ed1c09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000026', 0, x'94cf0006ba16a89a5f40909493a14c00a5726f75746593a14f01a5736d616c6c97a14800a57374657073c2b0666c6f772d736d616c6c2f736d616c6cc0c293a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000026', 1, x'94cf0006ba16aab06e009193a16300c29393a14c01a5736d616c6c93a153a724637572736f72c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000027', 0, x'94cf0006ba16a89a5f40909195a15400a361646480ce7803e39d02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000027', 1, x'94cf0006ba16a89a5f409192a174009493a153a5746f74616ccea15d25e195a15401a361646480ce858f264a95a15402a361646480ce9c94170b95a15403a361646480ceb7b944c802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000027', 2, x'94cf0006ba16a89a5f409392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480ce9c94170b02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000027', 3, x'94cf0006ba16a89a5f409192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000027', 4, x'94cf0006ba16aa6422c09192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000027', 5, x'94cf0006ba16aa6422c09192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000027', 6, x'94cf0006ba16aa6422c09192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16aab06e0002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000027', 7, x'94cf0006ba16aab06e009192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000028', 0, x'94cf0006ba16a932f5c0909593a14c00a5726f75746593a14f01a6636865636b7395a15402ad636865636b732f6272616e636880c095a15403ad636865636b732f6272616e636880c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000028', 1, x'94cf0006ba16a932f5c09292a1740292a174039593a14c01a6636865636b7393a14f04a46561636895a15405a9656163682f6974656d80c093a153a6636865636b73c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000028', 2, x'94cf0006ba16a932f5c09192a174059195a15406a9656163682f6974656d80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000028', 3, x'94cf0006ba16a932f5c09192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16a97f410093a153a7636f756e746564c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000028', 4, x'94cf0006ba16a97f41009192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c246234cd10093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000028', 5, x'94cf0006ba16a9cb8c409292a16d1f92a16d209c92a243570193a14c09a96465736b2f7061696493a14f0aac6465736b2f636f6e6669726d93a15100ac6465736b2f636f6e6669726d92a243510093a14c0aac6465736b2f636f6e6669726d93a14c08a46465736b95a1540ba47061636b81a773657276696365a77061636b696e67c093a153a470616964c093a153a7636f6e6669726dc093a153a46465736bc093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000028', 6, x'94cf0006ba16a9cb8c409192a1740b9393a153a67061636b6564c093a153a724637572736f72c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000029', 0, x'94cf0006ba16a9bc4a00909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000029', 1, x'94cf0006ba16a9bc4a009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000029', 2, x'94cf0006ba16a9bc4a009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000029', 3, x'94cf0006ba16a9bc4a009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000029', 4, x'94cf0006ba16ab860d809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000029', 5, x'94cf0006ba16ab860d809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000029', 6, x'94cf0006ba16ab860d809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16abd258c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000029', 7, x'94cf0006ba16abd258c09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002a', 0, x'94cf0006ba16a9cb8c40909593a14c00a5726f75746593a14f01a6636865636b7395a15402ad636865636b732f6272616e636880c095a15403ad636865636b732f6272616e636880c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002a', 1, x'94cf0006ba16a9cb8c409292a1740292a174039593a14c01a6636865636b7393a14f04a46561636895a15405a9656163682f6974656d80c093a153a6636865636b73c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002a', 2, x'94cf0006ba16a9cb8c409192a174059195a15406a9656163682f6974656d80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002a', 3, x'94cf0006ba16a9cb8c409192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16aa17d78093a153a7636f756e746564c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002a', 4, x'94cf0006ba16aa17d7809192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c24623e5678093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002b', 0, x'94cf0006ba16aa6422c0909593a14c00a5726f75746593a14f01a6636865636b7395a15402ad636865636b732f6272616e636880c095a15403ad636865636b732f6272616e636880c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002b', 1, x'94cf0006ba16aa6422c09292a1740292a174039593a14c01a6636865636b7393a14f04a46561636895a15405a9656163682f6974656d80c093a153a6636865636b73c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002b', 2, x'94cf0006ba16aa6422c09192a174059195a15406a9656163682f6974656d80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002b', 3, x'94cf0006ba16aa6422c09192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16aab06e0093a153a7636f756e746564c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002b', 4, x'94cf0006ba16aab06e009192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c246247dfe0093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002b', 5, x'94cf0006ba16aafcb9409192a16d239692a243570193a14c09a96465736b2f7061696493a14f0aac6465736b2f636f6e6669726d93a15100ac6465736b2f636f6e6669726d93a153a470616964c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002c', 0, x'94cf0006ba16aafcb940909593a14c00a5726f75746593a14f01a6636865636b7395a15402ad636865636b732f6272616e636880c095a15403ad636865636b732f6272616e636880c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002c', 1, x'94cf0006ba16aafcb9409292a1740292a174039593a14c01a6636865636b7393a14f04a46561636895a15405a9656163682f6974656d80c093a153a6636865636b73c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002c', 2, x'94cf0006ba16aafcb9409192a174059195a15406a9656163682f6974656d80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002c', 3, x'94cf0006ba16aafcb9409192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16ab49048093a153a7636f756e746564c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002c', 4, x'94cf0006ba16ab4904809192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c2462516948093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002c', 5, x'94cf0006ba16ab954fc09192a16d249493a14c09a96465736b2f7061696493a155909093a14c08a46465736b92a145a963616e63656c6c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002d', 0, x'94cf0006ba16ab954fc0909295a15400a5666972737480c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002d', 1, x'94cf0006ba16ab954fc09192a174009295a15401a46c61737480c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002d', 2, x'94cf0006ba16ab954fc09192a174019293a15591019092a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002e', 0, x'94cf0006ba16ac2de640909295a15400a5666972737480c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002e', 1, x'94cf0006ba16ac2de6409192a174009295a15401a46c61737480c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002e', 2, x'94cf0006ba16ac2de6409192a174019293a15591019092a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002f', 0, x'94cf0006ba16acc67cc0909593a14c00a5726f75746593a14f01a6636865636b7395a15402ad636865636b732f6272616e636880c095a15403ad636865636b732f6272616e636880c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002f', 1, x'94cf0006ba16acc67cc09292a1740292a174039593a14c01a6636865636b7393a14f04a46561636895a15405a9656163682f6974656d80c093a153a6636865636b73c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002f', 2, x'94cf0006ba16acc67cc09192a174059195a15406a9656163682f6974656d80c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002f', 3, x'94cf0006ba16acc67cc09192a174069593a14c04a46561636893a14f07a5706175736593a15700cf0006ba16ad12c80093a153a7636f756e746564c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002f', 4, x'94cf0006ba16ad12c8009192a166009593a14c07a5706175736593a14f08a46465736b93a14f09a96465736b2f7061696493a15701cf0006c24626e0580093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002f', 5, x'94cf0006ba16ad5f13409192a16d259692a243570193a14c09a96465736b2f7061696493a14f0aac6465736b2f636f6e6669726d93a15100ac6465736b2f636f6e6669726d93a153a470616964c093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000002f', 6, x'94cf0006ba16ad5f13409192a16d269693a14c0aac6465736b2f636f6e6669726d93a14c08a46465736b95a1540ba47061636b81a773657276696365a77061636b696e67c093a153a7636f6e6669726dc093a153a46465736bc093a153a724637572736f72c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000030', 0, x'94cf0006ba16ad4fd100909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000030', 1, x'94cf0006ba16ad4fd1009192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000030', 2, x'94cf0006ba16ad4fd1009392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000030', 3, x'94cf0006ba16ad4fd1009192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000030', 4, x'94cf0006ba16af1994809192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000030', 5, x'94cf0006ba16af1994809192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000030', 6, x'94cf0006ba16af1994809192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16af65dfc002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000030', 7, x'94cf0006ba16af65dfc09192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000031', 0, x'95cf0006ba16b0f29a40909193a153a96c697374656e696e67ce40d1d12a02919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000032', 0, x'94cf0006ba16b0f29a40909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000032', 1, x'94cf0006ba16b0f29a409192a174009193a15700cf0006bc72302fda4002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000033', 0, x'94cf0006ba16b0f29a40909195a15400a46563686f80cedabe320f02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000033', 1, x'95cf0006ba16b0f29a409192a174009002919300a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000034', 0, x'94cf0006ba16b0f29a40909193a15100a8617070726f76616c02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000034', 1, x'94cf0006ba16b0f29a409192a16d289193a15101a77061796d656e7402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000035', 0, x'94cf0006ba16b0f29a40909193a15100a8617070726f76616c02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000036', 0, x'94cf0006ba16b0f29a40909397a14800a96c697374656e696e67c2b477616974696e672d66616d696c792d6368696c64ce7c0f800fc297a14801a96c697374656e696e67c3b777616974696e672d66616d696c792d6465746163686564ce96e885e0c297a14802a57374657073c2a574616b656ecea3e14c6dc202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000036', 1, x'94cf0006ba16b0f29a409193a16302c39197a14803a76661696c696e67c2b677616974696e672d66616d696c792d6661696c696e67cea3a6bf43c202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000036', 2, x'94cf0006ba16b0f29a409193a16303c39197a14804a57374657073c2b077616974696e672d66616d696c792f34ce88cc1faec202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000036', 3, x'94cf0006ba16b308a9009193a16304c29002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000037', 0, x'95cf0006ba16b0f29a40909193a153a96c697374656e696e67ce317ed33902919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000038', 0, x'95cf0006ba16b0f29a40909193a153a96c697374656e696e67ce50c4d9d602919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003a', 0, x'94cf0006ba16b0f29a40909193a15100a56e6576657202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003a', 1, x'94cf0006ba16b0f29a409192a16d299292a243510095a15400a361646480ce7803e39d02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003a', 2, x'95cf0006ba16b0f29a409192a174009002919300a67369676e616ca5636c65616e');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003b', 0, x'94cf0006ba16b0f29a40909195a15400a76465636c696e6580ce3d7d385f02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003b', 1, x'94cf0006ba16b0f29a409192a174009192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003c', 0, x'94cf0006ba16b0f29a40909293a153a473746570ce83dcefb795a15400a361646480ce1f691de602');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003c', 1, x'94cf0006ba16b0f29a409192a174009195a15401b17365636f6e645f74696d655f6c75636b7980ce115f4add02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003c', 2, x'94cf0006ba16b0f29a409192a174019192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003c', 3, x'94cf0006ba16b0f29a409198a172020200009090009002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003c', 4, x'94cf0006ba16b0f29a40909193a153a473746570c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003c', 5, x'95cf0006ba16b0f29a409192a174019193a153a473746570ce1ad5be0d02919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003d', 0, x'94cf0006ba16b0f29a40909293a153a473746570ce83dcefb795a15400a361646480ce1f691de602');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003d', 1, x'94cf0006ba16b0f29a409192a174009195a15401b17365636f6e645f74696d655f6c75636b7980ce115f4add02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003d', 2, x'94cf0006ba16b0f29a409192a174019192a145a66661696c656402');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003e', 0, x'94cf0006ba16b0f29a40909195a15400a361646480ce1f691de602');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003e', 1, x'95cf0006ba16b0f29a409192a174009002919300a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003f', 0, x'94cf0006ba16b0f29a40909195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003f', 1, x'94cf0006ba16b0f29a409192a174009493a153a5746f74616cce6dd28e9b95a15401a361646480ceea49b23895a15402a361646480cef352837995a15403a361646480ced87fd0ba02');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003f', 2, x'94cf0006ba16b0f29a409392a1740192a1740292a174039195a15404af6164645f6f6e5f615f74687265616480cef352837902');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003f', 3, x'94cf0006ba16b0f29a409192a174049195a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003f', 4, x'94cf0006ba16b2bc5dc09192a174059195a14606a665666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003f', 5, x'94cf0006ba16b2bc5dc09192a174069195a14607ae6661696c696e672065666665637481a769735f73746570c3c002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003f', 6, x'94cf0006ba16b2bc5dc09192a174079393a153a4676f6e65cefdfc4c8d92a150a873746570732d763293a15700cf0006ba16b308a90002');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000003f', 7, x'94cf0006ba16b308a9009192a166009293a153a4676f6e65c092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000040', 0, x'95cf0006ba16b4862140909002919300a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000040', 1, x'94cf0006ba16b48621409192a16d2d9195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000040', 2, x'94cf0006ba16b48621409192a174009193a1412dc202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000040', 3, x'94cf0006ba16b48621409192a16d2e9293a153a767726565746564ce83dcefb792a14b0102');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000040', 4, x'95cf0006ba16b4862140909193a15700cf0006ba2ad25d814002919300a67369676e616ca3656e64');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000040', 5, x'94cf0006ba16b48621409192a16d2f9195a15401a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000040', 6, x'94cf0006ba16b48621409192a174019193a1412fc202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000040', 7, x'94cf0006ba16b48621409192a16d339292a243570092a145a77375636365737302');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000041', 0, x'95cf0006ba16b4862140909002919300a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000041', 1, x'94cf0006ba16b48621409192a16d309195a15400a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000041', 2, x'94cf0006ba16b48621409192a174009193a14130c202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000041', 3, x'94cf0006ba16b48621409192a16d319293a153a767726565746564ce83dcefb792a14b0102');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000041', 4, x'95cf0006ba16b4862140909193a15700cf0006ba2ad25d814002919300a67369676e616ca3656e64');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000041', 5, x'94cf0006ba16b48621409192a16d329195a15401a361646480ce34444e2502');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000041', 6, x'94cf0006ba16b48621409192a174019193a14132c202');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000041', 7, x'94cf0006ba16b49563809192a2746dce000f42409001');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000042', 0, x'94cf0006ba16b4956380909395a15400a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f7269747903cea7b4273195a15401a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f7269747903ce997cf9b995a15402b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000043', 0, x'94cf0006ba16b4956380909395a15400a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f7269747903cea5f2996895a15401a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f7269747903ce9b3a47e095a15402b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200ce0897997802');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000044', 0, x'95cf0006ba16b4956380909193a153a96c697374656e696e67cea037a7b302919301a67369676e616ca2676f');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000045', 0, x'94cf0006ba16b4956380909393a14f00a47265737493a15700cf0006ba2ad26cc38095a15401a4686f6c6480c002');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (1, x'37a8eec1ce19687d0000000000000015', 0, 1, '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (2, x'37a8eec1ce19687d0000000000000015', 2, 1, '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (3, x'37a8eec1ce19687d0000000000000015', 4, 1, '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (4, x'37a8eec1ce19687d0000000000000018', 0, 1, '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (5, x'37a8eec1ce19687d0000000000000018', 2, 1, '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (6, x'37a8eec1ce19687d0000000000000018', 4, 1, '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (7, x'37a8eec1ce19687d000000000000001a', 0, 1, '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (8, x'37a8eec1ce19687d000000000000001a', 2, 1, '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (9, x'37a8eec1ce19687d000000000000001a', 4, 1, '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (10, x'37a8eec1ce19687d000000000000001b', 0, 1, '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (11, x'37a8eec1ce19687d000000000000001b', 2, 1, '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (12, x'37a8eec1ce19687d000000000000001b', 4, 1, '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (13, x'37a8eec1ce19687d000000000000001c', 0, 1, '[[1893456000000000,"stdout","packing 0 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (14, x'37a8eec1ce19687d000000000000001c', 2, 1, '[[1893456000000000,"stdout","packing 1 of 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (15, x'37a8eec1ce19687d000000000000001c', 4, 1, '[[1893456000000000,"stderr","grüße ☕"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (16, x'37a8eec1ce19687d000000000000001d', 0, 1, '[[1893456000000000,"stdout","first"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (17, x'37a8eec1ce19687d000000000000001d', 1, 1, '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (18, x'37a8eec1ce19687d000000000000001d', 3, 1, '[[1893456000000000,"stdout","last"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (19, x'37a8eec1ce19687d000000000000001e', 0, 1, '[[1893456000000000,"stdout","first"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (20, x'37a8eec1ce19687d000000000000001e', 1, 1, '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (21, x'37a8eec1ce19687d000000000000001e', 3, 1, '[[1893456000000000,"stdout","last"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (22, x'37a8eec1ce19687d000000000000001f', 0, 1, '[[1893456000000000,"stdout","first"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (23, x'37a8eec1ce19687d000000000000001f', 1, 1, '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (24, x'37a8eec1ce19687d000000000000001f', 3, 1, '[[1893456000000000,"stdout","last"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (25, x'37a8eec1ce19687d000000000000001e', 1, 2, '[[1893456000000000,"stdout","attempt 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (26, x'37a8eec1ce19687d000000000000001f', 1, 2, '[[1893456000000000,"stdout","attempt 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (27, x'37a8eec1ce19687d0000000000000021', 0, 1, '[[1893456000000000,"stdout","first"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (28, x'37a8eec1ce19687d0000000000000021', 1, 1, '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (29, x'37a8eec1ce19687d0000000000000021', 3, 1, '[[1893456000000000,"stdout","last"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (30, x'37a8eec1ce19687d0000000000000022', 0, 1, '[[1893456000000000,"stdout","first"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (31, x'37a8eec1ce19687d0000000000000022', 1, 1, '[[1893456000000000,"stdout","attempt 1"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (32, x'37a8eec1ce19687d0000000000000022', 3, 1, '[[1893456000000000,"stdout","last"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (33, x'37a8eec1ce19687d0000000000000021', 1, 2, '[[1893456000000000,"stdout","attempt 2"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (34, x'37a8eec1ce19687d0000000000000024', 0, 1, '[[1893456000000000,"WARNING","said hello"],[1893456000000000,"WARNING","twice"]]');
INSERT INTO logs (number, run, seq, attempt, lines) VALUES (35, x'37a8eec1ce19687d0000000000000045', 1, 1, '[[1893456000000000,"stdout","holding"]]');
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (1, x'37a8eec1ce19687d0000000000000006', 'child', '3', 'null', 2, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (2, x'37a8eec1ce19687d000000000000000d', 'retry', '', 'null', -1, '', 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (3, x'37a8eec1ce19687d0000000000000003', 'signal', 'go', 'null', 2, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (4, x'37a8eec1ce19687d0000000000000005', 'resolved', 'approval', '"granted"', 1, NULL, 1893456000000000, NULL, NULL, 0, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (5, x'37a8eec1ce19687d0000000000000005', 'rejected', 'payment', '{"type":"builtins:ValueError","message":"no funds","traceback":"left out"}', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (6, x'37a8eec1ce19687d000000000000000a', 'cancel', '', '"enough"', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (7, x'37a8eec1ce19687d000000000000000a', 'signal', 'clean', 'null', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (8, x'37a8eec1ce19687d000000000000000d', 'signal', 'go', '"again"', 4, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (9, x'37a8eec1ce19687d0000000000000004', 'signal', 'go', '1', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (10, x'37a8eec1ce19687d0000000000000004', 'signal', 'go', '2', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (11, x'37a8eec1ce19687d0000000000000004', 'signal', 'go', '3', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (12, x'37a8eec1ce19687d0000000000000007', 'signal', 'go', '1', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (13, x'37a8eec1ce19687d0000000000000007', 'signal', 'go', '2', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (14, x'37a8eec1ce19687d0000000000000007', 'signal', 'go', '3', 1, NULL, 1893456000000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (15, x'37a8eec1ce19687d0000000000000006', 'child', '0', 'null', 3, NULL, 1893456030000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (16, x'37a8eec1ce19687d0000000000000006', 'child', '4', 'null', 4, NULL, 1893456035000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (17, x'37a8eec1ce19687d0000000000000013', 'cancel', '', '"its parent cancelled it"', 1, NULL, 1893456131000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (18, x'37a8eec1ce19687d0000000000000015', 'resolved', 'gate', 'true', 4, NULL, 1893456200000000, NULL, NULL, 0, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (19, x'37a8eec1ce19687d0000000000000015', 'signal', 'go', 'null', 4, NULL, 1893456200000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (20, x'37a8eec1ce19687d0000000000000015', 'child', '0', 'null', 6, NULL, 1893456230000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (21, x'37a8eec1ce19687d0000000000000018', 'resolved', 'gate', 'true', 4, NULL, 1893456240000000, NULL, NULL, 0, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (22, x'37a8eec1ce19687d0000000000000018', 'signal', 'go', 'null', 4, NULL, 1893456240000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (23, x'37a8eec1ce19687d000000000000001b', 'resolved', 'gate', 'true', 4, NULL, 1893456280000000, NULL, NULL, 0, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (24, x'37a8eec1ce19687d000000000000001c', 'cancel', '', '"not today"', 4, NULL, 1893456280000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (25, x'37a8eec1ce19687d000000000000001e', 'retry', '', 'null', -1, '', 1893456281000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (26, x'37a8eec1ce19687d000000000000001f', 'retry', '', 'null', -1, '', 1893456281000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (27, x'37a8eec1ce19687d000000000000001f', 'resolved', 'after', 'true', 7, NULL, 1893456281000000, NULL, NULL, 0, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (28, x'37a8eec1ce19687d0000000000000020', 'child', '0', 'null', 1, NULL, 1893456281000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (29, x'37a8eec1ce19687d0000000000000020', 'child', '1', 'null', 2, NULL, 1893456281000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (30, x'37a8eec1ce19687d0000000000000020', 'retry', '', 'null', -1, '', 1893456281000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (31, x'37a8eec1ce19687d0000000000000028', 'signal', 'paid', '7', 5, NULL, 1893456361000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (32, x'37a8eec1ce19687d0000000000000028', 'signal', 'confirm', '"yes"', 5, NULL, 1893456361000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (33, x'37a8eec1ce19687d0000000000000028', 'task', '11', '{"attempt":1,"worker":"worker","started_at":1893456361000000,"output":3}', 6, NULL, 1893456361000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (34, x'37a8eec1ce19687d0000000000000026', 'child', '0', 'null', 1, NULL, 1893456376000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (35, x'37a8eec1ce19687d000000000000002b', 'signal', 'paid', '7', 5, NULL, 1893456381000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (36, x'37a8eec1ce19687d000000000000002c', 'cancel', '', '"not today"', 5, NULL, 1893456391000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (37, x'37a8eec1ce19687d000000000000002f', 'signal', 'paid', '7', 5, NULL, 1893456421000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (38, x'37a8eec1ce19687d000000000000002f', 'resolved', 'desk/confirm', 'false', 6, NULL, 1893456421000000, NULL, NULL, 0, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (39, x'37a8eec1ce19687d0000000000000036', 'child', '3', 'null', 2, NULL, 1893456481000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (40, x'37a8eec1ce19687d0000000000000034', 'resolved', 'approval', '"granted"', 1, NULL, 1893456481000000, NULL, NULL, 0, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (41, x'37a8eec1ce19687d000000000000003a', 'cancel', '', '"half way"', 1, NULL, 1893456481000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (42, x'37a8eec1ce19687d000000000000003c', 'retry', '', 'null', -1, '', 1893456481000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (43, x'37a8eec1ce19687d0000000000000036', 'child', '4', 'null', 3, NULL, 1893456516000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (44, x'37a8eec1ce19687d000000000000003e', 'signal', 'other', 'null', NULL, NULL, 1893456541000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (45, x'37a8eec1ce19687d0000000000000040', 'update', 'greet', '["ann"]', 1, NULL, 1893456541000000, 'greet-ann', '{"value":"3 for ann"}', NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (46, x'37a8eec1ce19687d0000000000000040', 'signal', 'go', 'null', 3, NULL, 1893456541000000, 'go-on', NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (47, x'37a8eec1ce19687d0000000000000040', 'update', 'greet', '["bob"]', 5, NULL, 1893456541000000, 'greet-bob', '{"value":"3 for bob"}', NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (48, x'37a8eec1ce19687d0000000000000041', 'update', 'greet', '["ann"]', 1, NULL, 1893456541000000, 'greet-ann', '{"value":"3 for ann"}', NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (49, x'37a8eec1ce19687d0000000000000041', 'signal', 'go', 'null', 3, NULL, 1893456541000000, 'go-on', NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (50, x'37a8eec1ce19687d0000000000000041', 'update', 'greet', '["bob"]', 5, NULL, 1893456541000000, 'greet-bob', '{"value":"3 for bob"}', NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (51, x'37a8eec1ce19687d0000000000000040', 'signal', 'end', 'null', 7, NULL, 1893456541000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (52, x'37a8eec1ce19687d0000000000000041', 'pause', '', '"lunch"', 7, 'ann', 1893456541000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (53, x'37a8eec1ce19687d0000000000000041', 'resume', 'timers wait', 'null', -1, 'ann', 1893456542000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (54, x'37a8eec1ce19687d0000000000000031', 'signal', 'go', '"unread"', NULL, NULL, 1893456543000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (55, x'37a8eec1ce19687d000000000000003e', 'signal', 'go', 'null', NULL, NULL, 1893456543000000, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, run, kind, name, payload, taken, posted_by, posted_at, uid, answer, question, comment) VALUES (56, x'37a8eec1ce19687d0000000000000035', 'cancel', '', '"unread"', NULL, NULL, 1893456543000000, NULL, NULL, NULL, NULL);
INSERT INTO nodes (id, namespace, tick, lease_until, started_at, serves, seen_at, report, drain_asked_at, drain_asked_by) VALUES ('node:2265b1f5', 'default', 1, 1893456557250000, 1893456000000000, '["(published flows)","add@task","add_on_a_thread@task","approving","calling","cleaning_up","continuing","count@task","decline@task","delivery","echo@task","edition","failing","family","fragile","held_up","hold@task","holdfast.alerts@task","holdfast.bulk@task","holdfast.webhook@task","holding","listening","mistaken","of_a_class@7","order","racing","refuse@task","refused","reopened","second_time_lucky@task","sleeping","steps","talk@task","talking","third_time_lucky@task"]', NULL, NULL, NULL, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000005', 0, 'default', 'approval', '{"schema":{"type":"string"}}', 1893456000000000, 1893456000000000, 1, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000005', 1, 'default', 'payment', '{}', 1893456000000000, 1893456000000000, 1, 5);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000000a', 0, 'default', 'never', '{}', 1893456000000000, 1893456000000000, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000000c', 0, 'default', 'approval', '{"schema":{"type":"string"}}', 1893456000000000, 1893456060000000, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000015', 0, 'default', 'gate', '{"title":"May it go?"}', 1893456200000000, 1893456200000000, 1, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000018', 0, 'default', 'gate', '{"title":"May it go?"}', 1893456240000000, 1893456240000000, 1, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000001a', 0, 'default', 'gate', '{"title":"May it go?"}', 1893456280000000, NULL, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000001b', 0, 'default', 'gate', '{"title":"May it go?"}', 1893456280000000, 1893456280000000, 1, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000001c', 0, 'default', 'gate', '{"title":"May it go?"}', 1893456280000000, 1893456280000000, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000001e', 0, 'default', 'after', '{}', 1893456281000000, NULL, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000001f', 0, 'default', 'after', '{}', 1893456281000000, 1893456281000000, 1, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000021', 0, 'default', 'after', '{}', 1893456281000000, NULL, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000023', 0, 'default', 'gate', '{}', 1893456281000000, NULL, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000028', 0, 'default', 'desk/confirm', '{}', 1893456361000000, 1893456361000000, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000002b', 0, 'default', 'desk/confirm', '{}', 1893456381000000, NULL, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000002f', 0, 'default', 'desk/confirm', '{}', 1893456421000000, 1893456421000000, 1, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000034', 0, 'default', 'approval', '{"schema":{"type":"string"}}', 1893456481000000, 1893456481000000, 1, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000034', 1, 'default', 'payment', '{}', 1893456481000000, NULL, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d0000000000000035', 0, 'default', 'approval', '{"schema":{"type":"string"}}', 1893456481000000, NULL, 0, NULL);
INSERT INTO questions (run, number, namespace, name, details, asked_at, closed_at, is_answered, message) VALUES (x'37a8eec1ce19687d000000000000003a', 0, 'default', 'never', '{}', 1893456481000000, 1893456481000000, 0, NULL);
INSERT INTO queue (namespace, run, seq, service, attempt, lease, worker, ready_at, taken_at, created_at) VALUES ('default', x'37a8eec1ce19687d000000000000002f', 11, 'packing', 1, 0, NULL, 1893456421000000, NULL, 1893456421000000);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000001', 'taken', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.4657975274077232,"uuid":"1918efae-a8a2-4f0f-8b34-36469c987717"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456000000000, 1893456000000000, 1893456035000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000002', 'finished-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-000000000002:0"},"task":"37a8eec1-ce19-687d-0000-000000000002:0"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, '5478918e030960e0', 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000003', 'finished-class', 'of_a_class', '7', 'of_a_class@7', 'success', '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000004', 'finished-listening', 'listening', 'auto-ab71482c0419', 'listening', 'success', '{"name":"finished"}', '["finished",1,[2,3],102]', NULL, NULL, NULL, NULL, 2, NULL, NULL, 1893456000000000, 1893456000000000, 1893456030000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000005', 'finished-approving', 'approving', 'auto-3a6653a5ad65', 'approving', 'success', '{}', '["granted","ValueError: no funds"]', NULL, NULL, NULL, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000006', 'finished-family', 'family', 'auto-73b058d3fe88', 'family', 'success', '{"name":"finished-family"}', '["taken","RuntimeError: cannot go on: 7",{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.33591722907335664,"uuid":"e5344d94-0187-4f51-873e-2b8e4fd2c852"},["child",1,[2,3],102]]', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456000000000, 1893456000000000, 1893456035000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000007', 'finished-family-child', 'listening', 'auto-ab71482c0419', 'listening', 'success', '{"name":"child"}', '["child",1,[2,3],102]', NULL, x'37a8eec1ce19687d0000000000000006', 0, NULL, 2, NULL, NULL, 1893456000000000, 1893456000000000, 1893456030000000, 0, 1, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000008', 'finished-family-detached', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"detached"}', NULL, NULL, x'37a8eec1ce19687d0000000000000006', 1, NULL, 1, NULL, 'signal ''go''', 1893456000000000, 1893456000000000, NULL, 0, 0, 'signal', 'go', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000000a', 'finished-cancelled', 'cleaning_up', 'auto-7f87d490ca48', 'cleaning_up', 'cancelled', '{}', NULL, '{"type":"cancelled","message":"enough"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000000b', 'finished-family-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"}', x'37a8eec1ce19687d0000000000000006', 3, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, 0, '5478918e030960e0', 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000000c', 'finished-too-late', 'approving', 'auto-3a6653a5ad65', 'approving', 'failed', '{}', NULL, '{"type":"holdfast.errors:DeadlineExceeded","message":"the run had not ended by its deadline","traceback":"left out","attributes":{"deadline":"2030-01-01T00:01:00+00:00"},"bases":["holdfast.errors:HoldfastError"]}', NULL, NULL, NULL, 2, NULL, NULL, 1893456000000000, 1893456000000000, 1893456060000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', '{"deadline":1893456060000000}', 0, '58106b62551759af', 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000000d', 'finished-reopened', 'reopened', 'auto-877d0ec943ea', 'reopened', 'success', '{}', '[2,"second","again",4]', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000000e', 'finished-family/4', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.33591722907335664,"uuid":"e5344d94-0187-4f51-873e-2b8e4fd2c852"}', NULL, x'37a8eec1ce19687d0000000000000006', 4, NULL, 3, NULL, NULL, 1893456000000000, 1893456000000000, 1893456035000000, 0, 1, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000000f', 'naps@2030-01-01T00:01:00Z', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'running', '{"days":1}', NULL, NULL, NULL, NULL, NULL, 1, 1893542460000000, 'until 2030-01-02T00:01:00+00:00', 1893456060000000, 1893456060000000, NULL, 0, 0, 'timer', '2030-01-02T00:01:00+00:00', 1, 'naps', 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000010', 'reports@2030-01-01T00:01:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:01:35Z","random":0.9395106984680553,"uuid":"966bc99d-02c9-4f34-bbcc-c92a0b160f0a"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456060000000, 1893456060000000, 1893456095000000, 0, 0, NULL, NULL, NULL, 'reports', 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000011', 'reports@2030-01-01T00:02:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:02:35Z","random":0.8051298829403651,"uuid":"611753f4-b64b-4a14-b978-0b67c6062e0f"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456120000000, 1893456120000000, 1893456155000000, 0, 0, NULL, NULL, NULL, 'reports', 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000012', 'finished-racing', 'racing', 'auto-25b3d5537d31', 'racing', 'success', '{}', '["1 was first","timed out","2"]', NULL, NULL, NULL, NULL, 1, NULL, NULL, 1893456120000000, 1893456120000000, 1893456131000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000013', 'finished-racing-loser', 'listening', 'auto-ab71482c0419', 'listening', 'cancelled', '{"name":"loser"}', NULL, '{"type":"cancelled","message":"its parent cancelled it"}', x'37a8eec1ce19687d0000000000000012', 0, NULL, 1, NULL, NULL, 1893456130000000, 1893456130000000, 1893456131000000, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000014', 'reports@2030-01-01T00:03:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:03:35Z","random":0.08600404628888902,"uuid":"2c95d156-7578-446c-9b4e-890452e7a77e"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456180000000, 1893456180000000, 1893456215000000, 0, 0, NULL, NULL, NULL, 'reports', 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000015', 'dag-finished', 'delivery', 'auto-6d4c961462d8', 'delivery', 'success', '{"day":"2030-01-01","parcels":["tea","pot"],"days":0,"none":[]}', '{"places":[{"place":0},{"place":1}],"slept":"0:00:00"}', NULL, NULL, NULL, NULL, 2, NULL, NULL, 1893456200000000, 1893456200000000, 1893456230000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000016', 'dag-finished/call', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'success', '{"days":0}', '"0:00:00"', NULL, x'37a8eec1ce19687d0000000000000015', 0, NULL, 1, NULL, NULL, 1893456230000000, 1893456230000000, 1893456230000000, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000017', 'reports@2030-01-01T00:04:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:04:35Z","random":0.8637580589819868,"uuid":"b03b49bd-e13b-4a69-8064-c9693690ec61"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456240000000, 1893456240000000, 1893456275000000, 0, 0, NULL, NULL, NULL, 'reports', 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000018', 'dag-waiting-for-a-child', 'delivery', 'auto-6d4c961462d8', 'delivery', 'running', '{"day":"2030-01-01","parcels":["tea","pot"],"days":1,"none":[]}', NULL, NULL, NULL, NULL, NULL, 2, 1901232240000000, 'child dag-waiting-for-a-child/call; until 2030-04-01T00:04:00+00:00', 1893456240000000, 1893456240000000, NULL, 0, 0, 'child', 'dag-waiting-for-a-child/call', 2, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000019', 'dag-waiting-for-a-child/call', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'running', '{"days":1}', NULL, NULL, x'37a8eec1ce19687d0000000000000018', 0, NULL, 1, 1893542670000000, 'until 2030-01-02T00:04:30+00:00', 1893456270000000, 1893456270000000, NULL, 0, 1, 'timer', '2030-01-02T00:04:30+00:00', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000001a', 'dag-at-its-gate', 'delivery', 'auto-6d4c961462d8', 'delivery', 'running', '{"day":"2030-01-01","parcels":["tea","pot"],"days":0,"none":[]}', NULL, NULL, NULL, NULL, NULL, 2, 1898640280000000, 'approval ''gate''; until 2030-03-02T00:04:40+00:00', 1893456280000000, 1893456280000000, NULL, 0, 0, 'approval', 'gate', 2, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000001b', 'dag-waiting-for-a-signal', 'delivery', 'auto-6d4c961462d8', 'delivery', 'running', '{"day":"2030-01-01","parcels":["tea","pot"],"days":0,"none":[]}', NULL, NULL, NULL, NULL, NULL, 2, 1901232280000000, 'signal ''go''; until 2030-04-01T00:04:40+00:00', 1893456280000000, 1893456280000000, NULL, 0, 0, 'signal', 'go', 2, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000001c', 'dag-cancelled', 'delivery', 'auto-6d4c961462d8', 'delivery', 'cancelled', '{"day":"2030-01-01","parcels":["tea","pot"],"days":0,"none":[]}', NULL, '{"type":"cancelled","message":"not today"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000001d', 'dag-failed', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'failed', '{}', NULL, '{"type":"holdfast.errors:CommandFailed","message":"task ''bad'' failed: exited with code 1","attributes":{"exit_code":1},"task":"37a8eec1-ce19-687d-0000-00000000001d:1"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, '95218f88649d3703', 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000001e', 'dag-opened-again', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 3, NULL, 'approval ''after''', 1893456281000000, 1893456281000000, NULL, 0, 0, 'approval', 'after', 3, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000001f', 'dag-finished-at-the-second-try', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'success', '{}', '{"last":null}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000020', 'dag-calling-in-turn', 'calling', 'auto-f3329ab1dc3d', 'calling', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 3, NULL, 'child dag-calling-in-turn/call/0', 1893456281000000, 1893456281000000, NULL, 0, 0, 'child', 'dag-calling-in-turn/call/0', 3, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000021', 'dag-calling-in-turn/call/0', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'running', '{}', NULL, NULL, x'37a8eec1ce19687d0000000000000020', 0, NULL, 3, NULL, 'approval ''after''', 1893456281000000, 1893456281000000, NULL, 0, 1, 'approval', 'after', 3, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000022', 'dag-calling-in-turn/call/1', 'fragile', 'auto-dc7162e89b0a', 'fragile', 'running', '{}', NULL, NULL, x'37a8eec1ce19687d0000000000000020', 1, NULL, 2, NULL, 'its turn in dag-calling-in-turn', 1893456281000000, 1893456281000000, NULL, 0, 1, 'turn', 'dag-calling-in-turn', 2, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000023', 'dag-of-an-earlier-edition', 'edition', 'auto-1c784be9bc53', 'edition', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'approval ''gate''', 1893456281000000, 1893456281000000, NULL, 0, 0, 'approval', 'gate', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000024', 'talking-half-way', 'talking', 'auto-ac773e1dcc57', 'talking', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'signal ''go''', 1893456281000000, 1893456281000000, NULL, 0, 0, 'signal', 'go', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000025', 'reports@2030-01-01T00:05:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:05:35Z","random":0.3230562938016721,"uuid":"dec9d323-c9f8-4dfb-b186-53437a0e1cf9"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456300000000, 1893456300000000, 1893456335000000, 0, 0, NULL, NULL, NULL, 'reports', 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000026', 'flow-small', 'order', 'auto-a24600eb5b84', 'order', 'success', '{"total":5}', '{}', NULL, NULL, NULL, NULL, 2, NULL, NULL, 1893456341000000, 1893456341000000, 1893456376000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000027', 'flow-small/small', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":5,"second":5}', '{"total":10,"several":[10,11,12],"thread":11,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:06:16Z","random":0.6263660827161469,"uuid":"bea92911-fa3f-454d-9a6f-115a77080580"}', NULL, x'37a8eec1ce19687d0000000000000026', 0, NULL, 3, NULL, NULL, 1893456341000000, 1893456341000000, 1893456376000000, 0, 1, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000028', 'flow-finished', 'order', 'auto-a24600eb5b84', 'order', 'success', '{"total":500,"parcels":[1,2]}', '{"checks":[501,null],"counted":[2,3],"paid":7,"confirm":"yes","desk":{"cents":7,"said":"yes"},"packed":3}', NULL, NULL, NULL, NULL, 2, NULL, NULL, 1893456351000000, 1893456351000000, 1893456361000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000029', 'reports@2030-01-01T00:06:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:06:35Z","random":0.35772261406947425,"uuid":"b452f604-8938-4927-9d70-fd0c63dd07c6"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456360000000, 1893456360000000, 1893456395000000, 0, 0, NULL, NULL, NULL, 'reports', 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000002a', 'flow-at-its-desk', 'order', 'auto-a24600eb5b84', 'order', 'running', '{"total":500,"parcels":[1,2]}', NULL, NULL, NULL, NULL, NULL, 1, 1902456366000000, 'signal ''paid''; until 2030-04-15T04:06:06+00:00', 1893456361000000, 1893456361000000, NULL, 0, 0, 'signal', 'paid', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000002b', 'flow-asking', 'order', 'auto-a24600eb5b84', 'order', 'running', '{"total":500,"parcels":[1,2]}', NULL, NULL, NULL, NULL, NULL, 2, NULL, 'approval ''confirm''', 1893456371000000, 1893456371000000, NULL, 0, 0, 'approval', 'confirm', 2, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000002c', 'flow-cancelled', 'order', 'auto-a24600eb5b84', 'order', 'cancelled', '{"total":500,"parcels":[1,2]}', NULL, '{"type":"cancelled","message":"not today"}', NULL, NULL, NULL, 2, NULL, NULL, 1893456381000000, 1893456381000000, 1893456391000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000002d', 'flow-failed', 'refused', 'auto-fc8fe6fa456e', 'refused', 'failed', '{}', NULL, '{"type":"builtins:ValueError","message":"node ''last'' failed: not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002d:1"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456391000000, 1893456391000000, 1893456391000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 'afbc36614b54d138', 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000002e', 'flow-published', 'refused flow', '1', '(published flows)', 'failed', '{}', NULL, '{"type":"builtins:ValueError","message":"node ''last'' failed: not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002e:1"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456401000000, 1893456401000000, 1893456401000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 'afbc36614b54d138', 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000002f', 'flow-in-the-queue', 'order', 'auto-a24600eb5b84', 'order', 'running', '{"total":500,"parcels":[1,2]}', NULL, NULL, NULL, NULL, NULL, 2, NULL, 'a worker of service ''packing'' (pack)', 1893456411000000, 1893456411000000, NULL, 0, 0, 'service', 'packing', 2, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000030', 'reports@2030-01-01T00:07:00Z', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:07:35Z","random":0.11637124328586246,"uuid":"038319ae-00d4-4498-ade0-02da8a6e8977"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456420000000, 1893456420000000, 1893456455000000, 0, 0, NULL, NULL, NULL, 'reports', 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000031', 'waiting-listening', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"unread"}', NULL, NULL, NULL, NULL, NULL, 1, 1893456543000000, 'signal ''go''', 1893456481000000, 1893456481000000, NULL, 0, 0, 'signal', 'go', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000032', 'waiting-sleeping', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'running', '{"days":30}', NULL, NULL, NULL, NULL, NULL, 1, 1896048481000000, 'until 2030-01-31T00:08:01+00:00', 1893456481000000, 1893456481000000, NULL, 0, 0, 'timer', '2030-01-31T00:08:01+00:00', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000033', 'waiting-class', 'of_a_class', '7', 'of_a_class@7', 'running', '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'signal ''go''', 1893456481000000, 1893456481000000, NULL, 0, 0, 'signal', 'go', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000034', 'waiting-approving', 'approving', 'auto-3a6653a5ad65', 'approving', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'promise ''payment''', 1893456481000000, 1893456481000000, NULL, 0, 0, 'promise', 'payment', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000035', 'waiting-for-both', 'approving', 'auto-3a6653a5ad65', 'approving', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 1, 1893456480999999, 'promise ''approval''', 1893456481000000, 1893456481000000, NULL, 0, 0, 'promise', 'approval', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000036', 'waiting-family', 'family', 'auto-73b058d3fe88', 'family', 'running', '{"name":"waiting-family"}', NULL, NULL, NULL, NULL, NULL, 2, NULL, 'child waiting-family-child, waiting-family-detached', 1893456481000000, 1893456481000000, NULL, 0, 0, 'child', 'waiting-family-child', 2, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000037', 'waiting-family-child', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"child"}', NULL, NULL, x'37a8eec1ce19687d0000000000000036', 0, NULL, 1, NULL, 'signal ''go''', 1893456481000000, 1893456481000000, NULL, 0, 1, 'signal', 'go', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000038', 'waiting-family-detached', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"detached"}', NULL, NULL, x'37a8eec1ce19687d0000000000000036', 1, NULL, 1, NULL, 'signal ''go''', 1893456481000000, 1893456481000000, NULL, 0, 0, 'signal', 'go', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000003a', 'waiting-cancelled', 'cleaning_up', 'auto-7f87d490ca48', 'cleaning_up', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'signal ''clean''', 1893456481000000, 1893456481000000, NULL, 0, 0, 'signal', 'clean', 1, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000003b', 'waiting-family-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000003b:0"},"task":"37a8eec1-ce19-687d-0000-00000000003b:0"}', x'37a8eec1ce19687d0000000000000036', 3, NULL, 1, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, 0, '5478918e030960e0', 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000003c', 'waiting-reopened', 'reopened', 'auto-877d0ec943ea', 'reopened', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 3, NULL, 'signal ''go''', 1893456481000000, 1893456481000000, NULL, 0, 0, 'signal', 'go', 3, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000003d', 'failed-once', 'reopened', 'auto-877d0ec943ea', 'reopened', 'failed', '{}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1},"task":"37a8eec1-ce19-687d-0000-00000000003d:1"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 'dce09abbf071000d', 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000003e', 'parked', 'mistaken', 'auto-2874f1f78e35', 'mistaken', 'parked', '{}', NULL, '{"type":"holdfast.errors:DeterminismError","message":"the code has changed under this run: step 0 of its journal has task ''add'' as request 0, and the code in workflows.py:294 now asks for task ''add_on_a_thread''; if ''add'' was renamed, keep its recorded name: @task(name=''add''); otherwise restore the old code or guard the change with context().patched(...), then resume the run","traceback":"left out","attributes":{"step":0,"position":0,"recorded":"task ''add''","requested":"task ''add_on_a_thread''","place":"workflows.py:294","task":0,"state":null,"input":"{\"left\":1,\"right\":1}"},"bases":["holdfast.errors:HoldfastError"]}', NULL, NULL, NULL, 2, 1893456546000000, 'code that it fits; it is tried again 2030-01-01T00:09:06+00:00', 1893456481000000, 1893456481000000, NULL, 1, 0, 'code', 'mistaken', 2, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d000000000000003f', 'waiting-family/4', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:08:36Z","random":0.18345665896414787,"uuid":"6f1d0a8b-fcfd-4833-ae0c-f2868b30fa80"}', NULL, x'37a8eec1ce19687d0000000000000036', 4, NULL, 3, NULL, NULL, 1893456481000000, 1893456481000000, 1893456516000000, 0, 1, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000040', 'finished-continuing', 'continuing', 'auto-97f5370af042', 'continuing', 'success', '{"greeted":["ann in chapter 1"]}', '["ann in chapter 1","bob in chapter 2","1"]', NULL, NULL, NULL, NULL, 2, NULL, NULL, 1893456541000000, 1893456541000000, 1893456541000000, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 1);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000041', 'waiting-continuing', 'continuing', 'auto-97f5370af042', 'continuing', 'running', '{"greeted":["ann in chapter 1"]}', NULL, NULL, NULL, NULL, 'node:2265b1f5', 3, NULL, NULL, 1893456541000000, 1893456541000000, NULL, 0, 0, NULL, NULL, NULL, NULL, 'node:2265b1f5', NULL, 0, NULL, 1);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000042', 'under-way-1', 'holding', 'auto-2098f6c677fe', 'holding', 'running', '{"number":1}', NULL, NULL, NULL, NULL, 'node:2265b1f5', 1, NULL, NULL, 1893456542000000, 1893456542000000, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000043', 'under-way-2', 'holding', 'auto-2098f6c677fe', 'holding', 'running', '{"number":2}', NULL, NULL, NULL, NULL, 'node:2265b1f5', 1, NULL, NULL, 1893456542000000, 1893456542000000, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000044', 'under-way-resident', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"resident"}', NULL, NULL, NULL, NULL, 'node:2265b1f5', 1, NULL, NULL, 1893456542000000, 1893456542000000, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000045', 'dag-under-way', 'held_up', 'auto-09b4deaf5d74', 'held_up', 'running', '{}', NULL, NULL, NULL, NULL, 'node:2265b1f5', 1, NULL, NULL, 1893456542000000, 1893456542000000, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, depth, waiting_kind, waiting_name, waiting_epoch, schedule, last_owner, options, priority, fingerprint, chapter) VALUES ('default', x'37a8eec1ce19687d0000000000000046', 'pending', 'steps', 'auto-d662e45637ee', 'steps', 'pending', '{"first":5,"second":6}', NULL, NULL, NULL, NULL, NULL, 0, 1893456543000000, NULL, 1893456543000000, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
INSERT INTO schedules (namespace, name, workflow, input, plan, origin, is_paused, revision, cursor, queued, active, next_at, skipped, skip_note, created_at, updated_at) VALUES ('default', 'naps', 'sleeping', '{"days":1}', '{"timetable":{"type":"every","interval":"PT60S"},"jitter":"P0D","start":null,"end":1893456420000000,"overlap":"queue","catchup":{"mode":"last","most":100}}', '', 0, 8, 1893456420000000, '[1893456120000000,1893456180000000,1893456240000000,1893456300000000,1893456360000000,1893456420000000]', x'37a8eec1ce19687d000000000000000f', NULL, 0, NULL, 1893456000000000, 1893456420000000);
INSERT INTO schedules (namespace, name, workflow, input, plan, origin, is_paused, revision, cursor, queued, active, next_at, skipped, skip_note, created_at, updated_at) VALUES ('default', 'nightly', 'delivery', '{"day":"{date}","parcels":["{tick}"],"days":0,"none":[]}', '{"timetable":{"type":"cron","expression":"30 2 * * 1-5","timezone":"Europe/Berlin"},"jitter":"PT60S","start":null,"end":null,"overlap":"cancel_previous","catchup":{"mode":"all","most":3}}', '', 1, 2, 1893456000000000, '[]', NULL, NULL, 0, NULL, 1893456000000000, 1893456000000000);
INSERT INTO schedules (namespace, name, workflow, input, plan, origin, is_paused, revision, cursor, queued, active, next_at, skipped, skip_note, created_at, updated_at) VALUES ('default', 'reports', 'steps', '{"first":1,"second":2}', '{"timetable":{"type":"every","interval":"PT60S"},"jitter":"P0D","start":null,"end":1893456420000000,"overlap":"skip","catchup":{"mode":"last","most":100}}', '', 0, 8, 1893456420000000, '[]', x'37a8eec1ce19687d0000000000000030', NULL, 0, NULL, 1893456000000000, 1893456420000000);
INSERT INTO schema_changes (number, name, applied_at) VALUES (5, 'facts', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (6, 'fill_facts', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (7, 'runs_by_workflow', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (8, 'stalls', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (9, 'fleet', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (10, 'shared_inputs', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (11, 'terms', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (12, 'indexes_of_terms', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (13, 'streams', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (14, 'message_ids', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (15, 'index_of_message_ids', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (16, 'updates', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (17, 'changes', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (18, 'lost_runs', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (19, 'chapters', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (20, 'streams_by_age', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (21, 'questions', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (22, 'answers_ahead', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (23, 'access', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (24, 'definitions', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (25, 'lists', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (26, 'sessions', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (27, 'minutes', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (28, 'alerts', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (29, 'answers', '2030-01-01 00:00:00');
INSERT INTO schema_changes (number, name, applied_at) VALUES (30, 'node_reports', '2030-01-01 00:00:00');
INSERT INTO schema_migrations (number, name, applied_at) VALUES (1, 'kernel', '2030-01-01 00:00:00');
INSERT INTO schema_migrations (number, name, applied_at) VALUES (2, 'setbacks', '2030-01-01 00:00:00');
INSERT INTO schema_migrations (number, name, applied_at) VALUES (3, 'dags', '2030-01-01 00:00:00');
INSERT INTO schema_migrations (number, name, applied_at) VALUES (4, 'flows', '2030-01-01 00:00:00');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000001', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000004', 'listening', '"finished"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000007', 'listening', '"child"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000008', 'listening', '"detached"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000000d', 'step', '2');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000000e', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000010', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000011', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000013', 'listening', '"loser"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000014', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000017', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000025', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000026', '$cursor', '{"node":"","action":"","steps":2}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000027', 'total', '10');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000028', '$cursor', '{"node":"","action":"next","steps":8}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000028', 'checks', '[501,null]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000028', 'confirm', '"yes"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000028', 'counted', '[2,3]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000028', 'desk', '{"cents":7,"said":"yes"}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000028', 'packed', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000028', 'paid', '7');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000029', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002a', '$cursor', '{"node":"desk/paid","action":"next","steps":6}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002a', 'checks', '[501,null]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002a', 'counted', '[2,3]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002b', '$cursor', '{"node":"desk/confirm","action":"next","steps":7}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002b', 'checks', '[501,null]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002b', 'counted', '[2,3]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002b', 'paid', '7');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002c', '$cursor', '{"node":"desk/paid","action":"next","steps":6}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002c', 'checks', '[501,null]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002c', 'counted', '[2,3]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002d', '$cursor', '{"node":"last","action":"error","steps":2}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002e', '$cursor', '{"node":"last","action":"error","steps":2}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002f', '$cursor', '{"node":"pack","action":"next","steps":8}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002f', 'checks', '[501,null]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002f', 'confirm', 'false');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002f', 'counted', '[2,3]');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002f', 'desk', '{"cents":7,"said":false}');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000002f', 'paid', '7');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000030', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000031', 'listening', '"unread"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000037', 'listening', '"child"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000038', 'listening', '"detached"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000003c', 'step', '2');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000003d', 'step', '1');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000003f', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000040', 'greeted', '1');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000041', 'greeted', '1');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000044', 'listening', '"resident"');
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000001', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000001', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000001', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000001', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000001', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000001', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456000000000, 1893456030000000, 1893456030000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000001', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000001', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000001:7"}', NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000002', 0, 'decline', 'failed', 1, 0, 0, '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-000000000002:0"}', NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000003', 0, 'echo', 'success', 1, 0, 0, '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000004', 0, 'add', 'success', 1, 0, 0, '{"left":2,"right":100}', '102', NULL, NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000007', 0, 'add', 'success', 1, 0, 0, '{"left":2,"right":100}', '102', NULL, NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000a', 0, 'add', 'success', 1, 0, 0, '{"left":5,"right":5}', '10', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000b', 0, 'decline', 'failed', 1, 0, 0, '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"}', NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000d', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000d', 1, 'second_time_lucky', 'success', 2, 0, 1, '{"value":"second"}', '"second"', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000d', 2, 'add', 'success', 1, 0, 0, '{"left":2,"right":2}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000e', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000e', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000e', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000e', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000e', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000e', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456000000000, 1893456030000000, 1893456030000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000e', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000e', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000000e:7"}', NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000000f', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456060000000, 1893456060000000, 1893456060000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000010', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456060000000, 1893456060000000, 1893456060000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000010', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456060000000, 1893456060000000, 1893456060000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000010', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456060000000, 1893456060000000, 1893456060000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000010', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456060000000, 1893456060000000, 1893456060000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000010', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456060000000, 1893456060000000, 1893456060000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000010', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456060000000, 1893456090000000, 1893456090000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000010', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456090000000, 1893456090000000, 1893456090000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000010', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000010:7"}', NULL, NULL, 1893456090000000, 1893456090000000, 1893456090000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000011', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456120000000, 1893456120000000, 1893456120000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000011', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456120000000, 1893456120000000, 1893456120000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000011', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456120000000, 1893456120000000, 1893456120000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000011', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456120000000, 1893456120000000, 1893456120000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000011', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456120000000, 1893456120000000, 1893456120000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000011', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456120000000, 1893456150000000, 1893456150000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000011', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456150000000, 1893456150000000, 1893456150000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000011', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000011:7"}', NULL, NULL, 1893456150000000, 1893456150000000, 1893456150000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000012', 0, 'hold', 'cancelled', 1, 0, 0, '{"value":"never heard"}', NULL, NULL, '{"got":"never heard"}', NULL, 1893456120000000, 1893456120000000, 1893456123000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000012', 1, 'hold', 'cancelled', 1, 0, 0, '{"value":"too late"}', NULL, NULL, '{"got":"too late"}', NULL, 1893456123000000, 1893456123000000, 1893456130000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000012', 2, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456130000000, 1893456130000000, 1893456130000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000014', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456180000000, 1893456180000000, 1893456180000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000014', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456180000000, 1893456180000000, 1893456180000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000014', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456180000000, 1893456180000000, 1893456180000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000014', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456180000000, 1893456180000000, 1893456180000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000014', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456180000000, 1893456180000000, 1893456180000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000014', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456180000000, 1893456210000000, 1893456210000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000014', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456210000000, 1893456210000000, 1893456210000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000014', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000014:7"}', NULL, NULL, 1893456210000000, 1893456210000000, 1893456210000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 0, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":0,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 1, 'rest', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456230000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 2, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":0,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 3, 'return', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456200000000, NULL, 1893456200000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 4, 'label', 'success', 1, 0, 0, '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 5, 'gate', 'success', 1, 0, 0, '{"promise":"gate","question":0,"message":"May it go?"}', 'true', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 6, 'go', 'success', 1, 0, 0, '{"wait_for_signal":"go"}', 'null', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 7, 'call', 'success', 1, 0, 0, '{"days":0}', '"0:00:00"', NULL, NULL, NULL, 1893456230000000, 1893456230000000, 1893456230000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000015', 8, 'nothing', 'success', 1, 0, 0, '{}', '[]', NULL, NULL, NULL, 1893456230000000, 1893456230000000, 1893456230000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000016', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456230000000, 1893456230000000, 1893456230000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000016', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":4}', '7', NULL, NULL, NULL, 1893456230000000, 1893456230000000, 1893456230000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000017', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000017', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000017', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000017', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000017', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000017', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456240000000, 1893456270000000, 1893456270000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000017', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456270000000, 1893456270000000, 1893456270000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000017', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000017:7"}', NULL, NULL, 1893456270000000, 1893456270000000, 1893456270000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000018', 0, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":1,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000018', 1, 'rest', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456270000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000018', 2, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":1,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000018', 3, 'return', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456240000000, NULL, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000018', 4, 'label', 'success', 1, 0, 0, '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000018', 5, 'gate', 'success', 1, 0, 0, '{"promise":"gate","question":0,"message":"May it go?"}', 'true', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000018', 6, 'go', 'success', 1, 0, 0, '{"wait_for_signal":"go"}', 'null', NULL, NULL, NULL, 1893456240000000, 1893456240000000, 1893456240000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000018', 7, 'call', 'running', 1, 0, 0, '{"days":1}', NULL, NULL, NULL, NULL, 1893456270000000, 1893456270000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000019', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456270000000, 1893456270000000, 1893456270000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001a', 0, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":0,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001a', 1, 'rest', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456310000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001a', 2, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":0,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001a', 3, 'return', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456280000000, NULL, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001a', 4, 'label', 'success', 1, 0, 0, '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001a', 5, 'gate', 'running', 1, 0, 0, '{"promise":"gate","question":0,"message":"May it go?"}', NULL, NULL, NULL, NULL, 1893456280000000, 1893456280000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001b', 0, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":0,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001b', 1, 'rest', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456310000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001b', 2, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":0,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001b', 3, 'return', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456280000000, NULL, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001b', 4, 'label', 'success', 1, 0, 0, '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001b', 5, 'gate', 'success', 1, 0, 0, '{"promise":"gate","question":0,"message":"May it go?"}', 'true', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001b', 6, 'go', 'running', 1, 0, 0, '{"wait_for_signal":"go"}', NULL, NULL, NULL, NULL, 1893456280000000, 1893456280000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001c', 0, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":0,"none":[],"item":"tea","parallel_index":0,"parallel_count":2}', '{"place":0}', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001c', 1, 'rest', 'cancelled', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001c', 2, 'pack', 'success', 1, 0, 0, '{"day":"2030-01-01","days":0,"none":[],"item":"pot","parallel_index":1,"parallel_count":2}', '{"place":1}', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001c', 3, 'return', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456280000000, NULL, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001c', 4, 'label', 'success', 1, 0, 0, '{"first":0,"note":"grüße"}', 'null', NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001c', 5, 'gate', 'cancelled', 1, 0, 0, '{"promise":"gate","question":0,"message":"May it go?"}', NULL, NULL, NULL, NULL, 1893456280000000, 1893456280000000, 1893456280000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001d', 0, 'first', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001d', 1, 'bad', 'failed', 1, 0, 0, '{"first":null}', NULL, '{"type":"holdfast.errors:CommandFailed","message":"exited with code 1","attributes":{"exit_code":1},"task":"37a8eec1-ce19-687d-0000-00000000001d:1"}', NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001d', 2, 'after', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456281000000, NULL, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001d', 3, 'last', 'success', 1, 0, 0, '{"after":null}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001e', 0, 'first', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001e', 1, 'bad', 'success', 2, 0, 1, '{"first":null}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001e', 2, 'after', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456281000000, NULL, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001e', 3, 'last', 'success', 1, 0, 0, '{"after":null}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001e', 4, 'after', 'running', 1, 0, 0, '{"promise":"after","question":0,"message":""}', NULL, NULL, NULL, NULL, 1893456281000000, 1893456281000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001f', 0, 'first', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001f', 1, 'bad', 'success', 2, 0, 1, '{"first":null}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001f', 2, 'after', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456281000000, NULL, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001f', 3, 'last', 'success', 1, 0, 0, '{"after":null}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000001f', 4, 'after', 'success', 1, 0, 0, '{"promise":"after","question":0,"message":""}', 'true', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000020', 0, 'call', 'failed', 1, 0, 0, '{"parallel_index":0,"parallel_count":2}', NULL, '{"type":"holdfast.errors:CommandFailed","message":"task ''bad'' failed: exited with code 1","attributes":{"exit_code":1},"task":"37a8eec1-ce19-687d-0000-000000000020:0"}', NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000020', 1, 'call', 'failed', 1, 0, 0, '{"parallel_index":1,"parallel_count":2}', NULL, '{"type":"holdfast.errors:CommandFailed","message":"task ''bad'' failed: exited with code 1","attributes":{"exit_code":1},"task":"37a8eec1-ce19-687d-0000-000000000020:1"}', NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000020', 2, 'call', 'running', 1, 0, 0, '{"parallel_index":0,"parallel_count":2}', NULL, NULL, NULL, NULL, 1893456281000000, 1893456281000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000021', 0, 'first', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000021', 1, 'bad', 'success', 2, 0, 1, '{"first":null}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000021', 2, 'after', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456281000000, NULL, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000021', 3, 'last', 'success', 1, 0, 0, '{"after":null}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000021', 4, 'after', 'running', 1, 0, 0, '{"promise":"after","question":0,"message":""}', NULL, NULL, NULL, NULL, 1893456281000000, 1893456281000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000022', 0, 'first', 'success', 1, 0, 0, '{}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000022', 1, 'bad', 'pending', 2, 0, 1, '{"first":null}', NULL, NULL, NULL, NULL, 1893456281000000, NULL, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000022', 2, 'after', 'skipped', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456281000000, NULL, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000022', 3, 'last', 'success', 1, 0, 0, '{"after":null}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000023', 0, 'gate', 'running', 1, 0, 0, '{"promise":"gate","question":0,"message":""}', NULL, NULL, NULL, NULL, 1893456281000000, 1893456281000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000024', 0, 'talk', 'success', 1, 0, 0, '{"words":"hello"}', 'null', NULL, NULL, NULL, 1893456281000000, 1893456281000000, 1893456281000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000025', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456300000000, 1893456300000000, 1893456300000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000025', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456300000000, 1893456300000000, 1893456300000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000025', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456300000000, 1893456300000000, 1893456300000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000025', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456300000000, 1893456300000000, 1893456300000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000025', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456300000000, 1893456300000000, 1893456300000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000025', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456300000000, 1893456330000000, 1893456330000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000025', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456330000000, 1893456330000000, 1893456330000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000025', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000025:7"}', NULL, NULL, 1893456330000000, 1893456330000000, 1893456330000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000026', 0, 'route', 'success', 1, 0, 0, '{"input":null}', '"small"', NULL, NULL, NULL, 1893456341000000, 1893456341000000, 1893456341000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000026', 1, 'small', 'success', 1, 0, 0, '{"input":{"first":5,"second":5},"workflow":"steps"}', '{"total":10,"several":[10,11,12],"thread":11,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:06:16Z","random":0.6263660827161469,"uuid":"bea92911-fa3f-454d-9a6f-115a77080580"}', NULL, NULL, NULL, 1893456341000000, 1893456341000000, 1893456376000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000027', 0, 'add', 'success', 1, 0, 0, '{"left":5,"right":5}', '10', NULL, NULL, NULL, 1893456341000000, 1893456341000000, 1893456341000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000027', 1, 'add', 'success', 1, 0, 0, '{"left":10,"right":0}', '10', NULL, NULL, NULL, 1893456341000000, 1893456341000000, 1893456341000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000027', 2, 'add', 'success', 1, 0, 0, '{"left":10,"right":1}', '11', NULL, NULL, NULL, 1893456341000000, 1893456341000000, 1893456341000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000027', 3, 'add', 'success', 1, 0, 0, '{"left":10,"right":2}', '12', NULL, NULL, NULL, 1893456341000000, 1893456341000000, 1893456341000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000027', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":10,"right":1}', '11', NULL, NULL, NULL, 1893456341000000, 1893456341000000, 1893456341000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000027', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456341000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000027', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000027', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000027:7"}', NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 0, 'route', 'success', 1, 0, 0, '{"input":null}', '"large"', NULL, NULL, NULL, 1893456351000000, 1893456351000000, 1893456351000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 1, 'checks', 'success', 1, 0, 0, '{"input":500}', '[501,null]', NULL, NULL, NULL, 1893456351000000, 1893456351000000, 1893456351000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 2, 'checks/branch', 'success', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, 1893456351000000, 1893456351000000, 1893456351000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 3, 'checks/branch', 'failed', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000028:3"}', NULL, NULL, 1893456351000000, 1893456351000000, 1893456351000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 4, 'each', 'success', 1, 0, 0, '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, 1893456351000000, 1893456351000000, 1893456351000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 5, 'each/item', 'success', 1, 0, 0, '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, 1893456351000000, 1893456351000000, 1893456351000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 6, 'each/item', 'success', 1, 0, 0, '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, 1893456351000000, 1893456351000000, 1893456351000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 7, 'pause', 'success', 1, 0, 0, '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, 1893456351000000, 1893456351000000, 1893456356000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 8, 'desk', 'success', 1, 0, 0, '{"input":null}', '{"cents":7,"said":"yes"}', NULL, NULL, NULL, 1893456356000000, 1893456356000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 9, 'desk/paid', 'success', 1, 0, 0, '{"input":null,"signal":"paid"}', '7', NULL, NULL, NULL, 1893456356000000, 1893456356000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 10, 'desk/confirm', 'success', 1, 0, 0, '{"input":null,"signal":"confirm","question":0}', '"yes"', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000028', 11, 'pack', 'success', 1, 0, 0, '{"input":null,"params":{"total":500,"parcels":[1,2]}}', '3', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000029', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456360000000, 1893456360000000, 1893456360000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000029', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456360000000, 1893456360000000, 1893456360000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000029', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456360000000, 1893456360000000, 1893456360000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000029', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456360000000, 1893456360000000, 1893456360000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000029', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456360000000, 1893456360000000, 1893456360000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000029', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456360000000, 1893456390000000, 1893456390000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000029', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456390000000, 1893456390000000, 1893456390000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000029', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000029:7"}', NULL, NULL, 1893456390000000, 1893456390000000, 1893456390000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 0, 'route', 'success', 1, 0, 0, '{"input":null}', '"large"', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 1, 'checks', 'success', 1, 0, 0, '{"input":500}', '[501,null]', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 2, 'checks/branch', 'success', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 3, 'checks/branch', 'failed', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002a:3"}', NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 4, 'each', 'success', 1, 0, 0, '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 5, 'each/item', 'success', 1, 0, 0, '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 6, 'each/item', 'success', 1, 0, 0, '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456361000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 7, 'pause', 'success', 1, 0, 0, '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, 1893456361000000, 1893456361000000, 1893456366000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 8, 'desk', 'running', 1, 0, 0, '{"input":null}', NULL, NULL, NULL, NULL, 1893456366000000, 1893456366000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002a', 9, 'desk/paid', 'running', 1, 0, 0, '{"input":null,"signal":"paid"}', NULL, NULL, NULL, NULL, 1893456366000000, 1893456366000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 0, 'route', 'success', 1, 0, 0, '{"input":null}', '"large"', NULL, NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 1, 'checks', 'success', 1, 0, 0, '{"input":500}', '[501,null]', NULL, NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 2, 'checks/branch', 'success', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 3, 'checks/branch', 'failed', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002b:3"}', NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 4, 'each', 'success', 1, 0, 0, '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 5, 'each/item', 'success', 1, 0, 0, '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 6, 'each/item', 'success', 1, 0, 0, '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, 1893456371000000, 1893456371000000, 1893456371000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 7, 'pause', 'success', 1, 0, 0, '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, 1893456371000000, 1893456371000000, 1893456376000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 8, 'desk', 'running', 1, 0, 0, '{"input":null}', NULL, NULL, NULL, NULL, 1893456376000000, 1893456376000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 9, 'desk/paid', 'success', 1, 0, 0, '{"input":null,"signal":"paid"}', '7', NULL, NULL, NULL, 1893456376000000, 1893456376000000, 1893456381000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002b', 10, 'desk/confirm', 'running', 1, 0, 0, '{"input":null,"signal":"confirm","question":0}', NULL, NULL, NULL, NULL, 1893456381000000, 1893456381000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 0, 'route', 'success', 1, 0, 0, '{"input":null}', '"large"', NULL, NULL, NULL, 1893456381000000, 1893456381000000, 1893456381000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 1, 'checks', 'success', 1, 0, 0, '{"input":500}', '[501,null]', NULL, NULL, NULL, 1893456381000000, 1893456381000000, 1893456381000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 2, 'checks/branch', 'success', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, 1893456381000000, 1893456381000000, 1893456381000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 3, 'checks/branch', 'failed', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002c:3"}', NULL, NULL, 1893456381000000, 1893456381000000, 1893456381000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 4, 'each', 'success', 1, 0, 0, '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, 1893456381000000, 1893456381000000, 1893456381000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 5, 'each/item', 'success', 1, 0, 0, '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, 1893456381000000, 1893456381000000, 1893456381000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 6, 'each/item', 'success', 1, 0, 0, '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, 1893456381000000, 1893456381000000, 1893456381000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 7, 'pause', 'success', 1, 0, 0, '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, 1893456381000000, 1893456381000000, 1893456386000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 8, 'desk', 'cancelled', 1, 0, 0, '{"input":null}', NULL, NULL, NULL, NULL, 1893456386000000, 1893456386000000, 1893456391000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002c', 9, 'desk/paid', 'cancelled', 1, 0, 0, '{"input":null,"signal":"paid"}', NULL, NULL, NULL, NULL, 1893456386000000, 1893456386000000, 1893456391000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002d', 0, 'first', 'failed', 1, 0, 0, '{"input":null,"params":{}}', NULL, '{"type":"builtins:ValueError","message":"not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002d:0"}', NULL, NULL, 1893456391000000, 1893456391000000, 1893456391000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002d', 1, 'last', 'failed', 1, 0, 0, '{"input":null,"params":{}}', NULL, '{"type":"builtins:ValueError","message":"not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002d:1"}', NULL, NULL, 1893456391000000, 1893456391000000, 1893456391000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002e', 0, 'first', 'failed', 1, 0, 0, '{"input":null,"params":{}}', NULL, '{"type":"builtins:ValueError","message":"not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002e:0"}', NULL, NULL, 1893456401000000, 1893456401000000, 1893456401000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002e', 1, 'last', 'failed', 1, 0, 0, '{"input":null,"params":{}}', NULL, '{"type":"builtins:ValueError","message":"not None","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002e:1"}', NULL, NULL, 1893456401000000, 1893456401000000, 1893456401000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 0, 'route', 'success', 1, 0, 0, '{"input":null}', '"large"', NULL, NULL, NULL, 1893456411000000, 1893456411000000, 1893456411000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 1, 'checks', 'success', 1, 0, 0, '{"input":500}', '[501,null]', NULL, NULL, NULL, 1893456411000000, 1893456411000000, 1893456411000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 2, 'checks/branch', 'success', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":0,"service":"count"}', '501', NULL, NULL, NULL, 1893456411000000, 1893456411000000, 1893456411000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 3, 'checks/branch', 'failed', 1, 0, 0, '{"input":500,"params":{"total":500,"parcels":[1,2]},"branch":1,"service":"refuse"}', NULL, '{"type":"builtins:ValueError","message":"not 500","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000002f:3"}', NULL, NULL, 1893456411000000, 1893456411000000, 1893456411000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 4, 'each', 'success', 1, 0, 0, '{"input":[1,2]}', '[2,3]', NULL, NULL, NULL, 1893456411000000, 1893456411000000, 1893456411000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 5, 'each/item', 'success', 1, 0, 0, '{"input":1,"params":{"total":500,"parcels":[1,2]},"index":0}', '2', NULL, NULL, NULL, 1893456411000000, 1893456411000000, 1893456411000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 6, 'each/item', 'success', 1, 0, 0, '{"input":2,"params":{"total":500,"parcels":[1,2]},"index":1}', '3', NULL, NULL, NULL, 1893456411000000, 1893456411000000, 1893456411000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 7, 'pause', 'success', 1, 0, 0, '{"input":null,"delay_ms":5000}', 'null', NULL, NULL, NULL, 1893456411000000, 1893456411000000, 1893456416000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 8, 'desk', 'success', 1, 0, 0, '{"input":null}', '{"cents":7,"said":false}', NULL, NULL, NULL, 1893456416000000, 1893456416000000, 1893456421000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 9, 'desk/paid', 'success', 1, 0, 0, '{"input":null,"signal":"paid"}', '7', NULL, NULL, NULL, 1893456416000000, 1893456416000000, 1893456421000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 10, 'desk/confirm', 'success', 1, 0, 0, '{"input":null,"signal":"confirm","question":0}', 'false', NULL, NULL, NULL, 1893456421000000, 1893456421000000, 1893456421000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000002f', 11, 'pack', 'pending', 1, 0, 0, '{"input":null,"params":{"total":500,"parcels":[1,2]}}', NULL, NULL, NULL, NULL, 1893456421000000, NULL, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000030', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456420000000, 1893456420000000, 1893456420000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000030', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456420000000, 1893456420000000, 1893456420000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000030', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456420000000, 1893456420000000, 1893456420000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000030', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456420000000, 1893456420000000, 1893456420000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000030', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456420000000, 1893456420000000, 1893456420000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000030', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456420000000, 1893456450000000, 1893456450000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000030', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456450000000, 1893456450000000, 1893456450000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000030', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000030:7"}', NULL, NULL, 1893456450000000, 1893456450000000, 1893456450000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000032', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000033', 0, 'echo', 'success', 1, 0, 0, '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003a', 0, 'add', 'success', 1, 0, 0, '{"left":5,"right":5}', '10', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003b', 0, 'decline', 'failed', 1, 0, 0, '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000003b:0"}', NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003c', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003c', 1, 'second_time_lucky', 'success', 2, 0, 1, '{"value":"second"}', '"second"', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003d', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003d', 1, 'second_time_lucky', 'failed', 1, 0, 0, '{"value":"second"}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1},"task":"37a8eec1-ce19-687d-0000-00000000003d:1"}', NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003e', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003f', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003f', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003f', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003f', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003f', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456481000000, 1893456481000000, 1893456481000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003f', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456481000000, 1893456511000000, 1893456511000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003f', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456511000000, 1893456511000000, 1893456511000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d000000000000003f', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000003f:7"}', NULL, NULL, 1893456511000000, 1893456511000000, 1893456511000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000040', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456541000000, 1893456541000000, 1893456541000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000040', 1, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456541000000, 1893456541000000, 1893456541000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000041', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456541000000, 1893456541000000, 1893456541000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000041', 1, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456541000000, 1893456541000000, 1893456541000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000042', 0, 'hold', 'running', 1, 0, 0, '{"value":"held 1"}', NULL, NULL, '{"got":"held 1"}', NULL, 1893456542000000, 1893456542000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000042', 1, 'hold', 'pending', 1, 0, 0, '{"value":"next 1"}', NULL, NULL, NULL, NULL, 1893456542000000, NULL, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000042', 2, 'third_time_lucky', 'pending', 2, 0, 0, '{"value":"lucky"}', NULL, NULL, NULL, 1893456552000000, 1893456542000000, NULL, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000043', 0, 'hold', 'pending', 1, 0, 0, '{"value":"held 2"}', NULL, NULL, NULL, NULL, 1893456542000000, NULL, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000043', 1, 'hold', 'pending', 1, 0, 0, '{"value":"next 2"}', NULL, NULL, NULL, NULL, 1893456542000000, NULL, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000043', 2, 'third_time_lucky', 'pending', 2, 0, 0, '{"value":"lucky"}', NULL, NULL, NULL, 1893456552000000, 1893456542000000, NULL, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000045', 0, 'rest', 'running', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456542000000, 1893456542000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at, shares) VALUES (x'37a8eec1ce19687d0000000000000045', 1, 'hold', 'running', 1, 0, 0, '{}', NULL, NULL, NULL, NULL, 1893456542000000, 1893456542000000, NULL, NULL);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'approving', 'auto-3a6653a5ad65', 'code', '3a6653a5ad658b921b34f09dc809f8bdb1f10dd7c4bdd7d90530335191d90c7c', '@workflow(catalog=catalog)' || char(10) || 'async def approving() -> list[str]:' || char(10) || '    said = [str(await context().promise("approval", str))]' || char(10) || '    try:' || char(10) || '        await context().promise("payment")' || char(10) || '    except TaskError as error:' || char(10) || '        said.append(f"{type(error).__name__}: {error}")' || char(10) || '    return said' || char(10) || '', 1893456000000000, 'tests.compat.workflows:approving', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'calling', 'auto-f3329ab1dc3d', 'dag', 'f3329ab1dc3d264e4c8b41e0bf2f41fe947c5695fde66c48fc1e9ac25a0ec259', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.' || char(10) || 'name: calling' || char(10) || 'tasks:' || char(10) || '  call: {workflow: fragile, parallel: 2, concurrency: 1}' || char(10) || '', 1893456000000000, 'dags/calling.yaml', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456281000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'cleaning_up', 'auto-7f87d490ca48', 'code', '7f87d490ca48b8cd4ae685f72408de892b91cf9bda3731c7c77e48638fe85d93', '@workflow(catalog=catalog)' || char(10) || 'async def cleaning_up() -> None:' || char(10) || '    """Cancelled, it takes its time to clean up."""' || char(10) || '    try:' || char(10) || '        await context().promise("never")' || char(10) || '    finally:' || char(10) || '        await add(5, 5)' || char(10) || '        await context().signal("clean")' || char(10) || '', 1893456000000000, 'tests.compat.workflows:cleaning_up', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'continuing', 'auto-97f5370af042', 'code', '97f5370af042ee775333e33d03408695480964d378e6da0524b24357cc1b7e0d', '@workflow(catalog=catalog)' || char(10) || 'async def continuing(greeted: list[str]) -> list[str]:' || char(10) || '    """A chapter that a signal ends, one that waits, and updates in both."""' || char(10) || '    greetings = list(greeted)' || char(10) || '' || char(10) || '    async def greet(name: str) -> str:' || char(10) || '        greetings.append(f"{name} in chapter {context().chapter}")' || char(10) || '        return f"{await add(1, 2)} for {name}"' || char(10) || '' || char(10) || '    context().on_update("greet", greet)' || char(10) || '    if context().chapter == 1:' || char(10) || '        await context().signal("go")' || char(10) || '        context().state.set("greeted", len(greetings))' || char(10) || '        context().continue_as(greetings)' || char(10) || '    await context().signal("end", timeout=dt.timedelta(days=1))' || char(10) || '    return [*greetings, str(context().state.get("greeted", int))]' || char(10) || '', 1893456000000000, 'tests.compat.workflows:continuing', 'published', NULL, '{"schema":{"type":"object","properties":{"greeted":{"type":"array","items":{"type":"string"}}},"required":["greeted"],"additionalProperties":false},"parameters":[["greeted","POSITIONAL_OR_KEYWORD"]]}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'delivery', 'auto-6d4c961462d8', 'dag', '6d4c961462d820c4cf4a0296eeb4c0eac1a395c7d821df73b0de0450c2117055', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.' || char(10) || 'name: delivery' || char(10) || 'input:' || char(10) || '  day: date' || char(10) || '  parcels: "[str] = [tea, pot]"' || char(10) || '  days: int = 0' || char(10) || '  none: "[str] = []"' || char(10) || 'timeout: 90d' || char(10) || 'tasks:' || char(10) || '  pack:' || char(10) || '    foreach: input.parcels' || char(10) || '    concurrency: 1' || char(10) || '    command: >-' || char(10) || '      echo "packing $HOLDFAST_PARALLEL_INDEX of $HOLDFAST_PARALLEL_COUNT";' || char(10) || '      echo "HOLDFAST_OUTPUT:{\"place\": $HOLDFAST_PARALLEL_INDEX}"' || char(10) || '    output_type: {place: int}' || char(10) || '  label:' || char(10) || '    depends_on: pack' || char(10) || '    command: [sh, -c, "echo grüße ☕ >&2"]' || char(10) || '    inputs: {first: {ref: "pack[0].place"}, note: {const: grüße}}' || char(10) || '  return:' || char(10) || '    depends_on: pack' || char(10) || '    when: pack[0].place > 0' || char(10) || '    command: exit 1' || char(10) || '  rest:' || char(10) || '    sleep: 30s' || char(10) || '  gate:' || char(10) || '    depends_on: label' || char(10) || '    approval: May it go?' || char(10) || '    timeout: 60d' || char(10) || '  go:' || char(10) || '    depends_on: gate' || char(10) || '    wait_for_signal: true' || char(10) || '  call:' || char(10) || '    depends_on: [go, rest]' || char(10) || '    workflow: sleeping' || char(10) || '    inputs: {days: {ref: input.days}}' || char(10) || '  nothing:' || char(10) || '    depends_on: call' || char(10) || '    foreach: input.none' || char(10) || '    command: exit 1' || char(10) || 'output: {places: pack, slept: call}' || char(10) || '', 1893456000000000, 'dags/delivery.yaml', 'published', NULL, '{"schema":{"type":"object","properties":{"day":{"type":"string","format":"date"},"parcels":{"type":"array","items":{"type":"string"},"default":["tea","pot"]},"days":{"type":"integer","default":0},"none":{"type":"array","items":{"type":"string"},"default":[]}},"required":["day"],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'edition', 'auto-1c784be9bc53', 'dag', '1c784be9bc5365ee0ec94bb9fde8190ebc81d91256059766190f2affdd5c5caa', 'name: edition' || char(10) || 'tasks:' || char(10) || '  gate: {approval: true}' || char(10) || '  say: {depends_on: gate, command: ''echo "HOLDFAST_OUTPUT:\"the old edition\""''}' || char(10) || '', 1893456281000000, 'dags/edition.yaml', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456281000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'edition', 'auto-c2f104594833', 'dag', 'c2f1045948334c6dc2ba5a9a56c0e7084798b0e1b3e99fff232c0ec23118deb3', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.' || char(10) || 'name: edition' || char(10) || 'tasks:' || char(10) || '  gate: {approval: true}' || char(10) || '  say: {depends_on: gate, command: ''echo "HOLDFAST_OUTPUT:\"the new edition\""''}' || char(10) || '', 1893456000000000, 'dags/edition.yaml', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'failing', 'auto-28eb18826971', 'code', '28eb188269714dd291f5ff40507100ec6099717021f154c82435de750cbda85d', '@workflow(catalog=catalog)' || char(10) || 'async def failing() -> None:' || char(10) || '    try:' || char(10) || '        await decline(7)' || char(10) || '    except Declined as error:' || char(10) || '        raise RuntimeError(f"cannot go on: {error.code}") from error' || char(10) || '', 1893456000000000, 'tests.compat.workflows:failing', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'family', 'auto-73b058d3fe88', 'code', '73b058d3fe88559c5c2e94dc7af0cc2e547c4780f65016e0f2a838cfb57836e5', '@workflow(catalog=catalog)' || char(10) || 'async def family(name: str) -> list[Any]:' || char(10) || '    """Children that end, that fail, that are detached, that have no id, and one whose id is another''s."""' || char(10) || '    said: list[Any] = []' || char(10) || '    child = listening.options(id=f"{name}-child")("child")' || char(10) || '    listening.options(id=f"{name}-detached", detached=True)("detached")' || char(10) || '    try:' || char(10) || '        await steps.options(id="taken")(1, 1)' || char(10) || '    except RunExists:' || char(10) || '        said.append("taken")' || char(10) || '    try:' || char(10) || '        await failing.options(id=f"{name}-failing")()' || char(10) || '    except RunFailed as error:' || char(10) || '        said.append(f"{type(error).__name__}: {error}")' || char(10) || '    said.append(await context().start_child("steps", first=1, second=2))' || char(10) || '    said.append(await child)' || char(10) || '    return said' || char(10) || '', 1893456000000000, 'tests.compat.workflows:family', 'published', NULL, '{"schema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false},"parameters":[["name","POSITIONAL_OR_KEYWORD"]]}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'fragile', 'auto-dc7162e89b0a', 'dag', 'dc7162e89b0ac8cd0889ebde700fcce59d3a226284f7c3843b1d6b06a5658c41', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.' || char(10) || 'name: fragile' || char(10) || 'tasks:' || char(10) || '  first: {command: echo first}' || char(10) || '  bad:' || char(10) || '    depends_on: first' || char(10) || '    command: echo attempt $HOLDFAST_ATTEMPT; test $HOLDFAST_ATTEMPT -gt 1' || char(10) || '  after: {depends_on: bad, approval: true}' || char(10) || '  last: {depends_on: after, on_failure: run, command: echo last}' || char(10) || '', 1893456000000000, 'dags/fragile.yaml', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456281000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'held_up', 'auto-09b4deaf5d74', 'dag', '09b4deaf5d74c8d810567cecb524861f38e7edc68cfb5cdb942ab9b13b273552', '# FROZEN, like workflows.py: journals of runs of this file are kept for ever.' || char(10) || 'name: held_up' || char(10) || 'tasks:' || char(10) || '  rest: {sleep: 1d}' || char(10) || '  hold:' || char(10) || '    command: echo holding; test $HOLDFAST_ATTEMPT -gt 1 || exec sleep 1000' || char(10) || '  after: {depends_on: [rest, hold], command: echo after}' || char(10) || '', 1893456000000000, 'dags/holding.yaml', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'holding', 'auto-2098f6c677fe', 'code', '2098f6c677fe78b4c26766f407259ff259994197e7b7ba6daba9882e3991fa9b', '@workflow(catalog=catalog)' || char(10) || 'async def holding(number: int) -> list[str]:' || char(10) || '    """Tasks that are under way: one running, one that waits for its slot, one that waits to be retried."""' || char(10) || '    tasks = [hold(f"held {number}"), hold(f"next {number}"), third_time_lucky("lucky")]' || char(10) || '    return list(await asyncio.gather(*tasks))' || char(10) || '', 1893456000000000, 'tests.compat.workflows:holding', 'published', NULL, '{"schema":{"type":"object","properties":{"number":{"type":"integer"}},"required":["number"],"additionalProperties":false},"parameters":[["number","POSITIONAL_OR_KEYWORD"]]}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'listening', 'auto-ab71482c0419', 'code', 'ab71482c0419b23d963cb71cb578fe9e9ad5790868993ffe2b823a9e0350c95d', '@workflow(catalog=catalog)' || char(10) || 'async def listening(name: str) -> list[Any]:' || char(10) || '    """Messages that are read one by one, all at once, not at all, and after a time that has run out."""' || char(10) || '    context().state.set("listening", name)' || char(10) || '    first = await context().signal("go")' || char(10) || '    try:' || char(10) || '        await context().signal("never", timeout=dt.timedelta(seconds=30))' || char(10) || '    except TimeoutError:' || char(10) || '        pass' || char(10) || '    left = context().drain_signals("go")' || char(10) || '    return [name, first, left, await add(len(left), 100)]' || char(10) || '', 1893456000000000, 'tests.compat.workflows:listening', 'published', NULL, '{"schema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false},"parameters":[["name","POSITIONAL_OR_KEYWORD"]]}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'mistaken', 'auto-2874f1f78e35', 'code', '2874f1f78e35fc61a889c3e02702ff2e3d675de168ab5747b081bb392ed8631a', '@workflow(catalog=catalog)' || char(10) || 'async def mistaken() -> list[int]:' || char(10) || '    """Parked, because for a while its code asks for another task than it did."""' || char(10) || '    first = await (add_on_a_thread if World.is_mistaken else add)(1, 1)' || char(10) || '    await context().signal("go")' || char(10) || '    return [first, await add(first, 1)]' || char(10) || '', 1893456000000000, 'tests.compat.workflows:mistaken', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'of_a_class', '7', 'code', 'c207530c6e458d34bc454013e2cc03721ec7fa8130a8c433bb0ea5943c720c68', '@workflow(catalog=catalog, name="of_a_class", version="7")' || char(10) || 'class OfAClass:' || char(10) || '    """A class, with an explicit version and the context as its first argument."""' || char(10) || '' || char(10) || '    async def run(self, context: Context, order: Order) -> Order:' || char(10) || '        self.seen = await echo(order)' || char(10) || '        if self.seen != ORDER:' || char(10) || '            raise ValueError("it was stored as something else")' || char(10) || '        await context.signal("go")' || char(10) || '        return self.seen' || char(10) || '', 1893456000000000, 'tests.compat.workflows:OfAClass', 'published', NULL, '{"schema":{"type":"object","properties":{"order":{"$ref":"#/$defs/Order"}},"required":["order"],"additionalProperties":false,"$defs":{"Order":{"title":"Order","description":"One field of each type that has a stored form of its own.","type":"object","properties":{"id":{"type":"string","format":"uuid"},"price":{"type":"string","format":"decimal"},"placed":{"type":"string"},"patience":{"type":"string","format":"duration"},"colour":{"$ref":"#/$defs/Colour"},"label":{"type":"string","contentEncoding":"base64"},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true},"lines":{"type":"array","items":{"type":"array","minItems":2,"maxItems":2,"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}},"note":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}},"required":["id","price","placed","patience","colour","label","tags","lines"]},"Colour":{"title":"Colour","enum":["red"]}}},"parameters":[["order","POSITIONAL_OR_KEYWORD"]]}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'order', 'auto-a24600eb5b84', 'flow', 'a24600eb5b84f399ec8f8f714ffb800b3146543852819e9f06b90e0c22e8c601', 'name: order' || char(10) || 'start: route' || char(10) || 'nodes:' || char(10) || '  route:' || char(10) || '    kind: choice' || char(10) || '    choice_cases: [{action: large, expr: {gt: [$params.total, 100]}}]' || char(10) || '    default_action: small' || char(10) || '  checks:' || char(10) || '    kind: parallel' || char(10) || '    exec_type: local_func' || char(10) || '    parallel_services: [count, refuse]' || char(10) || '    parallel_mode: concurrent' || char(10) || '    failure_strategy: ignore_errors' || char(10) || '    prep: {input_key: $params.total}' || char(10) || '    post: {output_key: checks, action_static: next}' || char(10) || '  each:' || char(10) || '    kind: foreach' || char(10) || '    exec_type: local_func' || char(10) || '    func: count' || char(10) || '    prep: {input_key: $params.parcels}' || char(10) || '    post: {output_key: counted, action_static: next}' || char(10) || '  pause: {kind: timer, params: {delay_ms: 5000}, post: {action_static: next}}' || char(10) || '  desk:' || char(10) || '    kind: subflow' || char(10) || '    post: {output_key: desk, action_static: next}' || char(10) || '    subflow:' || char(10) || '      start: paid' || char(10) || '      nodes:' || char(10) || '        paid: {kind: wait_event, params: {timeout_ms: 9000000000}, post: {output_key: cents, action_static: next}}' || char(10) || '        confirm: {kind: approval, post: {output_key: said}}' || char(10) || '      edges: [{from: paid, action: next, to: confirm}]' || char(10) || '  pack: {kind: executor, exec_type: queue, service: packing, post: {output_key: packed, action_static: next}}' || char(10) || '  small: {kind: subflow, workflow: steps, prep: {input_map: {first: $params.total, second: $params.total}}}' || char(10) || 'edges:' || char(10) || '  - {from: route, action: large, to: checks}' || char(10) || '  - {from: route, action: small, to: small}' || char(10) || '  - {from: checks, action: next, to: each}' || char(10) || '  - {from: each, action: next, to: pause}' || char(10) || '  - {from: pause, action: next, to: desk}' || char(10) || '  - {from: desk, action: next, to: pack}' || char(10) || '', 1893456000000000, 'flows/order.yaml', 'published', NULL, '{"schema":{"type":"object"}}', 1893456341000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'racing', 'auto-25b3d5537d31', 'code', '25b3d5537d3171ec86895fc835fd423d9ee24b9d894c0dab7f4b3f69702aec4c', '@workflow(catalog=catalog)' || char(10) || 'async def racing() -> list[str]:' || char(10) || '    """Losers are cancelled: a task, a timer, a child; and a timeout wins against a task."""' || char(10) || '    said: list[str] = []' || char(10) || '    held = hold.options(queue="default")("never heard")' || char(10) || '    sleep = asyncio.ensure_future(asyncio.sleep(3))' || char(10) || '    done, _ = await asyncio.wait([held, sleep], return_when="FIRST_COMPLETED")' || char(10) || '    said.append(f"{len(done)} was first")' || char(10) || '    held.cancel()' || char(10) || '    try:' || char(10) || '        await asyncio.wait_for(hold.options(queue="default")("too late"), 7)' || char(10) || '    except TimeoutError:' || char(10) || '        said.append("timed out")' || char(10) || '    async with asyncio.timeout(60):' || char(10) || '        said.append(str(await add(1, 1)))' || char(10) || '    child = listening.options(id=f"{context().run_id}-loser")("loser")' || char(10) || '    await asyncio.sleep(1)' || char(10) || '    child.cancel()' || char(10) || '    return said' || char(10) || '', 1893456000000000, 'tests.compat.workflows:racing', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'refused', 'auto-fc8fe6fa456e', 'flow', 'fc8fe6fa456e7d1b6ffc81b6bd4faa4c597be2070b8a01298bc80dc3393e05df', 'name: refused' || char(10) || 'start: first' || char(10) || 'nodes:' || char(10) || '  first: {kind: executor, exec_type: local_func, func: refuse}' || char(10) || '  last: {kind: executor, exec_type: local_func, func: refuse}' || char(10) || 'edges: [{from: first, action: error, to: last}]' || char(10) || '', 1893456000000000, 'flows/refused.yaml', 'published', NULL, '{"schema":{"type":"object"}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'refused flow', '1', 'flow', 'fc8fe6fa456e7d1b6ffc81b6bd4faa4c597be2070b8a01298bc80dc3393e05df', 'name: refused' || char(10) || 'start: first' || char(10) || 'nodes:' || char(10) || '  first: {kind: executor, exec_type: local_func, func: refuse}' || char(10) || '  last: {kind: executor, exec_type: local_func, func: refuse}' || char(10) || 'edges: [{from: first, action: error, to: last}]' || char(10) || '', 1893456341000000, '', 'published', 1, NULL, NULL);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'refused flow', '2', 'flow', '24a7b14f7a2cf3e5373a992e24ffc630d0dcc213da13d3c370519f8e8b3d6c69', '{start: a, nodes: {a: {kind: approval}}}', 1893456341000000, '', 'draft', 2, NULL, NULL);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'reopened', 'auto-877d0ec943ea', 'code', '877d0ec943ea54287c07f76456a16c505bbe27d3c0c6285f83a1faffcc8d151f', '@workflow(catalog=catalog)' || char(10) || 'async def reopened() -> list[Any]:' || char(10) || '    """Fails at its second step the first time; opened again, it goes on from there."""' || char(10) || '    context().state.set("step", 1)' || char(10) || '    first = await add(1, 1)' || char(10) || '    second = await second_time_lucky("second")' || char(10) || '    context().state.set("step", 2)' || char(10) || '    return [first, second, await context().signal("go"), await add(2, 2)]' || char(10) || '', 1893456000000000, 'tests.compat.workflows:reopened', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'sleeping', 'auto-0c081d8b9d9e', 'code', '0c081d8b9d9eafce21fc459bbe3e54ee7caa97b0fe2cd7b1c0e7cf4644dcaefe', '@workflow(catalog=catalog)' || char(10) || 'async def sleeping(days: int) -> str:' || char(10) || '    began = context().now()' || char(10) || '    await add(1, 2)' || char(10) || '    await asyncio.sleep(days * DAY)' || char(10) || '    await add(3, 4)' || char(10) || '    return str(context().now() - began)' || char(10) || '', 1893456000000000, 'tests.compat.workflows:sleeping', 'published', NULL, '{"schema":{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"],"additionalProperties":false},"parameters":[["days","POSITIONAL_OR_KEYWORD"]]}', 1893456230000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'steps', 'auto-d662e45637ee', 'code', 'd662e45637eefa37cb37c3d046c7b96a04818ea44d03befeb8e27bdbf7ac3a50', '@workflow(catalog=catalog)' || char(10) || 'async def steps(first: int, second: int) -> dict[str, Any]:' || char(10) || '    """Tasks in a row and at once, on a thread, retried; side effects, state, a patch, time and chance."""' || char(10) || '    state = context().state' || char(10) || '    total = await add(first, second)' || char(10) || '    state.set("total", total)' || char(10) || '    several = await asyncio.gather(*[add(total, number) for number in range(3)])' || char(10) || '    on_a_thread = await add_on_a_thread(total, 1)' || char(10) || '    lucky = await third_time_lucky("lucky")' || char(10) || '    effect = await context().run("effect", lambda: {"read": "once"})' || char(10) || '    failed_effect = ""' || char(10) || '    try:' || char(10) || '        await context().run("failing effect", int, "no number")' || char(10) || '    except ValueError as error:' || char(10) || '        failed_effect = str(error)' || char(10) || '    state.set("gone", True)' || char(10) || '    is_patched = context().patched("steps-v2")' || char(10) || '    await asyncio.sleep(5)' || char(10) || '    state.delete("gone")' || char(10) || '    return {' || char(10) || '        "total": total,' || char(10) || '        "several": several,' || char(10) || '        "thread": on_a_thread,' || char(10) || '        "lucky": lucky,' || char(10) || '        "effect": effect,' || char(10) || '        "failed effect": failed_effect,' || char(10) || '        "patched": is_patched,' || char(10) || '        "now": context().now(),' || char(10) || '        "random": context().random.random(),' || char(10) || '        "uuid": str(context().uuid4()),' || char(10) || '    }' || char(10) || '', 1893456000000000, 'tests.compat.workflows:steps', 'published', NULL, '{"schema":{"type":"object","properties":{"first":{"type":"integer"},"second":{"type":"integer"}},"required":["first","second"],"additionalProperties":false},"parameters":[["first","POSITIONAL_OR_KEYWORD"],["second","POSITIONAL_OR_KEYWORD"]]}', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at, origin, status, number, input_schema, seen_at) VALUES ('default', 'talking', 'auto-ac773e1dcc57', 'code', 'ac773e1dcc57cb21fd0a563bbf65f2df051087251f322accdb90427d51bd8e6e', '@workflow(catalog=catalog)' || char(10) || 'async def talking() -> str:' || char(10) || '    await talk("hello")' || char(10) || '    heard = await context().signal("go", str)' || char(10) || '    await talk(heard)' || char(10) || '    return heard' || char(10) || '', 1893456000000000, 'tests.compat.dags:talking', 'published', NULL, '{"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}', 1893456000000000);
