-- holdfast 0.2.0 on sqlite, made by `python -m tests.compat.record`. Never edited.
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
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d0000000000000001', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', 1893456000000000, 1893456000000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d0000000000000001', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', 1893456010000000, 1893456010000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d0000000000000002', 0, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', 1893456000000000, 1893456000000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000000b', 0, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', 1893456000000000, 1893456000000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000000c', 1, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', 1893456000000000, 1893456000000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000000d', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', 1893456000000000, 1893456000000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000000d', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', 1893456010000000, 1893456010000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000001a', 0, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7}}', 1893456200000000, 1893456200000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000001b', 1, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', 1893456200000000, 1893456200000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000001c', 1, 1, 'failed', '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1}}', 1893456200000000, 1893456200000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000001e', 5, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', 1893456200000000, 1893456200000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000001e', 5, 2, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 2","traceback":"left out"}', 1893456210000000, 1893456210000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d000000000000001f', 2, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', 1893456260000000, 1893456260000000, 'node:2265b1f5');
INSERT INTO attempts (run, seq, attempt, status, failure, started_at, finished_at, node) VALUES (x'37a8eec1ce19687d0000000000000020', 2, 1, 'failed', '{"type":"builtins:ConnectionError","message":"attempt 1","traceback":"left out"}', 1893456260000000, 1893456260000000, 'node:2265b1f5');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 0, x'93cf0006ba1694472000909194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 1, x'93cf0006ba16944720009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 2, x'93cf0006ba16944720009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 3, x'93cf0006ba16944720009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 4, x'93cf0006ba169610e3809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16965d2ec0');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000001', 5, x'93cf0006ba16965d2ec09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000002', 0, x'93cf0006ba1694472000909194a15400a76465636c696e6580');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000002', 1, x'93cf0006ba16944720009192a174009192a145a66661696c6564');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000003', 0, x'93cf0006ba1694472000909194a15400a46563686f80');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000003', 1, x'93cf0006ba16944720009192a1740090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000003', 2, x'93cf0006ba16944720009192a16d029192a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000004', 0, x'93cf0006ba1694472000909192a153a96c697374656e696e67');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000004', 1, x'93cf0006ba16944720009392a16d0892a16d0992a16d0a9193a15700cf0006ba169610e380');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000004', 2, x'93cf0006ba169610e3809192a166009194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000004', 3, x'93cf0006ba169610e3809192a174009192a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000005', 0, x'93cf0006ba16944720009090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000005', 1, x'93cf0006ba16944720009292a16d0392a16d049192a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 0, x'93cf0006ba1694472000909394a14800a96c697374656e696e67c294a14801a96c697374656e696e67c394a14802a57374657073c2');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 1, x'93cf0006ba16944720009192a163029194a14803a76661696c696e67c2');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 2, x'93cf0006ba16944720009192a163039194a14804a57374657073c2');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 3, x'93cf0006ba169610e3809192a1630090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000006', 4, x'93cf0006ba16965d2ec09192a163049192a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000007', 0, x'93cf0006ba1694472000909192a153a96c697374656e696e67');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000007', 1, x'93cf0006ba16944720009392a16d0b92a16d0c92a16d0d9193a15700cf0006ba169610e380');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000007', 2, x'93cf0006ba169610e3809192a166009194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000007', 3, x'93cf0006ba169610e3809192a174009192a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000008', 0, x'93cf0006ba1694472000909192a153a96c697374656e696e67');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000a', 0, x'93cf0006ba16944720009090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000a', 1, x'93cf0006ba16944720009292a16d0592a16d069194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000a', 2, x'93cf0006ba16944720009192a174009192a145a963616e63656c6c6564');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000b', 0, x'93cf0006ba1694472000909194a15400a76465636c696e6580');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000b', 1, x'93cf0006ba16944720009192a174009192a145a66661696c6564');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 0, x'93cf0006ba1694472000909292a153a47374657094a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 1, x'93cf0006ba16944720009192a174009194a15401b17365636f6e645f74696d655f6c75636b7980');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 2, x'93cf0006ba16944720009192a174019192a145a66661696c6564');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 3, x'93cf0006ba16944720009195a1720202000090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 4, x'93cf0006ba16944720009192a16d079192a153a473746570');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 5, x'93cf0006ba16944720009192a174019292a153a47374657094a15402a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000c', 6, x'93cf0006ba16944720009192a174029192a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 0, x'93cf0006ba1694472000909194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 1, x'93cf0006ba16944720009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 2, x'93cf0006ba16944720009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 3, x'93cf0006ba16944720009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 4, x'93cf0006ba169610e3809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16965d2ec0');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000d', 5, x'93cf0006ba16965d2ec09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 0, x'93cf0006ba169b6e2e00909294a15400a4686f6c6483a774696d656f7574a3503344a9686561727462656174a3503244a87072696f726974790393a15700cf0006ba169b9bf4c0');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 1, x'93cf0006ba169b9bf4c09192a166009392a243540094a15401a4686f6c6483a774696d656f7574a3503344a9686561727462656174a3503244a87072696f726974790393a15701cf0006ba169c06c480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 2, x'93cf0006ba169c06c4809192a166019392a243540193a15702cf0006ba169f9a4b8094a15402a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 3, x'93cf0006ba169c06c4809192a174029392a243570294a14800a96c697374656e696e67c293a15703cf0006ba169c1606c0');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000e', 4, x'93cf0006ba169c1606c09192a166039292a243480092a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000f', 0, x'93cf0006ba169c06c480909192a153a96c697374656e696e67');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000000f', 1, x'93cf0006ba169c1606c09192a16d109192a145a963616e63656c6c6564');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000010', 0, x'93cf0006ba16a032e200909192a153a96c697374656e696e67');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 0, x'93cf0006ba16a032e200909194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000011', 1, x'93cf0006ba16a032e2009192a174009193a15700cf0006bc721f702200');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000012', 0, x'93cf0006ba16a032e200909194a15400a46563686f80');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000012', 1, x'93cf0006ba16a032e2009192a1740090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000013', 0, x'93cf0006ba16a032e2009090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000013', 1, x'93cf0006ba16a032e2009192a16d1290');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000014', 0, x'93cf0006ba16a032e2009090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 0, x'93cf0006ba16a032e200909394a14800a96c697374656e696e67c294a14801a96c697374656e696e67c394a14802a57374657073c2');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 1, x'93cf0006ba16a032e2009192a163029194a14803a76661696c696e67c2');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 2, x'93cf0006ba16a032e2009192a163039194a14804a57374657073c2');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000015', 3, x'93cf0006ba16a248f0c09192a1630490');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000016', 0, x'93cf0006ba16a032e200909192a153a96c697374656e696e67');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000017', 0, x'93cf0006ba16a032e200909192a153a96c697374656e696e67');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000019', 0, x'93cf0006ba16a032e2009090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000019', 1, x'93cf0006ba16a032e2009192a16d139194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000019', 2, x'93cf0006ba16a032e2009192a1740090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001a', 0, x'93cf0006ba16a032e200909194a15400a76465636c696e6580');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001a', 1, x'93cf0006ba16a032e2009192a174009192a145a66661696c6564');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 0, x'93cf0006ba16a032e200909292a153a47374657094a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 1, x'93cf0006ba16a032e2009192a174009194a15401b17365636f6e645f74696d655f6c75636b7980');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 2, x'93cf0006ba16a032e2009192a174019192a145a66661696c6564');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 3, x'93cf0006ba16a032e2009195a1720202000090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 4, x'93cf0006ba16a032e200909192a153a473746570');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001b', 5, x'93cf0006ba16a032e2009192a174019192a153a473746570');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001c', 0, x'93cf0006ba16a032e200909292a153a47374657094a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001c', 1, x'93cf0006ba16a032e2009192a174009194a15401b17365636f6e645f74696d655f6c75636b7980');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001c', 2, x'93cf0006ba16a032e2009192a174019192a145a66661696c6564');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001d', 0, x'93cf0006ba16a032e200909194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001d', 1, x'93cf0006ba16a032e2009192a1740090');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 0, x'93cf0006ba16a032e200909194a15400a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 1, x'93cf0006ba16a032e2009192a174009492a153a5746f74616c94a15401a36164648094a15402a36164648094a15403a361646480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 2, x'93cf0006ba16a032e2009392a1740192a1740292a174039194a15404af6164645f6f6e5f615f74687265616480');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 3, x'93cf0006ba16a032e2009192a174049194a15405b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 4, x'93cf0006ba16a1fca5809192a174059593a14c06a665666665637493a14c07ae6661696c696e672065666665637492a153a4676f6e6592a150a873746570732d763293a15700cf0006ba16a248f0c0');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001e', 5, x'93cf0006ba16a248f0c09192a166009292a153a4676f6e6592a145a773756363657373');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d000000000000001f', 0, x'93cf0006ba16a3c66900909394a15400a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f726974790394a15401a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f726974790394a15402b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000020', 0, x'93cf0006ba16a3c66900909394a15400a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f726974790394a15401a4686f6c6484a774696d656f7574a3503344a9686561727462656174a3503244a57175657565a66e6172726f77a87072696f726974790394a15402b074686972645f74696d655f6c75636b7981a5726574727983ac6d61785f617474656d70747305ab66697273745f64656c6179a55054313053a66a697474657200');
INSERT INTO journal (run, position, step) VALUES (x'37a8eec1ce19687d0000000000000021', 0, x'93cf0006ba16a3c66900909192a153a96c697374656e696e67');
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (1, x'37a8eec1ce19687d0000000000000006', 'child', '3', 'null', 2);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (2, x'37a8eec1ce19687d0000000000000003', 'signal', 'go', 'null', 2);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (3, x'37a8eec1ce19687d0000000000000005', 'resolved', 'approval', '"granted"', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (4, x'37a8eec1ce19687d0000000000000005', 'rejected', 'payment', '{"type":"builtins:ValueError","message":"no funds","traceback":"left out"}', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (5, x'37a8eec1ce19687d000000000000000a', 'cancel', '', '"enough"', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (6, x'37a8eec1ce19687d000000000000000a', 'signal', 'clean', 'null', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (7, x'37a8eec1ce19687d000000000000000c', 'signal', 'go', '"again"', 4);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (8, x'37a8eec1ce19687d0000000000000004', 'signal', 'go', '1', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (9, x'37a8eec1ce19687d0000000000000004', 'signal', 'go', '2', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (10, x'37a8eec1ce19687d0000000000000004', 'signal', 'go', '3', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (11, x'37a8eec1ce19687d0000000000000007', 'signal', 'go', '1', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (12, x'37a8eec1ce19687d0000000000000007', 'signal', 'go', '2', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (13, x'37a8eec1ce19687d0000000000000007', 'signal', 'go', '3', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (14, x'37a8eec1ce19687d0000000000000006', 'child', '0', 'null', 3);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (15, x'37a8eec1ce19687d0000000000000006', 'child', '4', 'null', 4);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (16, x'37a8eec1ce19687d000000000000000f', 'cancel', '', '"its parent cancelled it"', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (17, x'37a8eec1ce19687d0000000000000015', 'child', '3', 'null', 2);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (18, x'37a8eec1ce19687d0000000000000013', 'resolved', 'approval', '"granted"', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (19, x'37a8eec1ce19687d0000000000000019', 'cancel', '', '"half way"', 1);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (20, x'37a8eec1ce19687d0000000000000015', 'child', '4', 'null', 3);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (21, x'37a8eec1ce19687d000000000000001d', 'signal', 'other', 'null', NULL);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (22, x'37a8eec1ce19687d0000000000000010', 'signal', 'go', '"unread"', NULL);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (23, x'37a8eec1ce19687d000000000000001d', 'signal', 'go', 'null', NULL);
INSERT INTO messages (id, run, kind, name, payload, taken) VALUES (24, x'37a8eec1ce19687d0000000000000014', 'cancel', '', '"unread"', NULL);
INSERT INTO nodes (id, namespace, tick, lease_until, started_at) VALUES ('node:2265b1f5', 'default', 1, 1893456275500000, 1893456000000000);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000001', 'taken', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.4657975274077232,"uuid":"1918efae-a8a2-4f0f-8b34-36469c987717"}', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456000000000, 1893456000000000, 1893456035000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000002', 'finished-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-000000000002:0"},"task":"37a8eec1-ce19-687d-0000-000000000002:0"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000003', 'finished-class', 'of_a_class', '7', 'of_a_class@7', 'success', '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000004', 'finished-listening', 'listening', 'auto-ab71482c0419', 'listening', 'success', '{"name":"finished"}', '["finished",1,[2,3],102]', NULL, NULL, NULL, NULL, 2, NULL, NULL, 1893456000000000, 1893456000000000, 1893456030000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000005', 'finished-approving', 'approving', 'auto-3a6653a5ad65', 'approving', 'success', '{}', '["granted","ValueError: no funds"]', NULL, NULL, NULL, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000006', 'finished-family', 'family', 'auto-73b058d3fe88', 'family', 'success', '{"name":"finished-family"}', '["taken","RuntimeError: cannot go on: 7",{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.9713375949702963,"uuid":"16eaf1fb-7b4f-4c8f-ba50-30730d4198f0"},["child",1,[2,3],102]]', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456000000000, 1893456000000000, 1893456035000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000007', 'finished-family-child', 'listening', 'auto-ab71482c0419', 'listening', 'success', '{"name":"child"}', '["child",1,[2,3],102]', NULL, x'37a8eec1ce19687d0000000000000006', 0, NULL, 2, NULL, NULL, 1893456000000000, 1893456000000000, 1893456030000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000008', 'finished-family-detached', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"detached"}', NULL, NULL, x'37a8eec1ce19687d0000000000000006', 1, NULL, 1, NULL, 'signal ''go''', 1893456000000000, 1893456000000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000000a', 'finished-cancelled', 'cleaning_up', 'auto-7f87d490ca48', 'cleaning_up', 'cancelled', '{}', NULL, '{"type":"cancelled","message":"enough"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000000b', 'finished-family-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"}', x'37a8eec1ce19687d0000000000000006', 3, NULL, 1, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000000c', 'finished-reopened', 'reopened', 'auto-877d0ec943ea', 'reopened', 'success', '{}', '[2,"second","again",4]', NULL, NULL, NULL, NULL, 3, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000000d', 'finished-family/4', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:00:35Z","random":0.9713375949702963,"uuid":"16eaf1fb-7b4f-4c8f-ba50-30730d4198f0"}', NULL, x'37a8eec1ce19687d0000000000000006', 4, NULL, 3, NULL, NULL, 1893456000000000, 1893456000000000, 1893456035000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000000e', 'finished-racing', 'racing', 'auto-25b3d5537d31', 'racing', 'success', '{}', '["1 was first","timed out","2"]', NULL, NULL, NULL, NULL, 1, NULL, NULL, 1893456120000000, 1893456120000000, 1893456131000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000000f', 'finished-racing-loser', 'listening', 'auto-ab71482c0419', 'listening', 'cancelled', '{"name":"loser"}', NULL, '{"type":"cancelled","message":"its parent cancelled it"}', x'37a8eec1ce19687d000000000000000e', 0, NULL, 1, NULL, NULL, 1893456130000000, 1893456130000000, 1893456131000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000010', 'waiting-listening', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"unread"}', NULL, NULL, NULL, NULL, NULL, 1, 1893456261000000, 'signal ''go''', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000011', 'waiting-sleeping', 'sleeping', 'auto-0c081d8b9d9e', 'sleeping', 'running', '{"days":30}', NULL, NULL, NULL, NULL, NULL, 1, 1896048200000000, 'until 2030-01-31T00:03:20+00:00', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000012', 'waiting-class', 'of_a_class', '7', 'of_a_class@7', 'running', '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'signal ''go''', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000013', 'waiting-approving', 'approving', 'auto-3a6653a5ad65', 'approving', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'promise ''payment''', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000014', 'waiting-for-both', 'approving', 'auto-3a6653a5ad65', 'approving', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 1, 1893456261000000, 'promise ''approval''', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000015', 'waiting-family', 'family', 'auto-73b058d3fe88', 'family', 'running', '{"name":"waiting-family"}', NULL, NULL, NULL, NULL, NULL, 2, NULL, 'child waiting-family-child, waiting-family-detached', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000016', 'waiting-family-child', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"child"}', NULL, NULL, x'37a8eec1ce19687d0000000000000015', 0, NULL, 1, NULL, 'signal ''go''', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000017', 'waiting-family-detached', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"detached"}', NULL, NULL, x'37a8eec1ce19687d0000000000000015', 1, NULL, 1, NULL, 'signal ''go''', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000019', 'waiting-cancelled', 'cleaning_up', 'auto-7f87d490ca48', 'cleaning_up', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'signal ''clean''', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000001a', 'waiting-family-failing', 'failing', 'auto-28eb18826971', 'failing', 'failed', '{}', NULL, '{"type":"builtins:RuntimeError","message":"cannot go on: 7","traceback":"left out","cause":{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000001a:0"},"task":"37a8eec1-ce19-687d-0000-00000000001a:0"}', x'37a8eec1ce19687d0000000000000015', 3, NULL, 1, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000001b', 'waiting-reopened', 'reopened', 'auto-877d0ec943ea', 'reopened', 'running', '{}', NULL, NULL, NULL, NULL, NULL, 3, NULL, 'signal ''go''', 1893456200000000, 1893456200000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000001c', 'failed-once', 'reopened', 'auto-877d0ec943ea', 'reopened', 'failed', '{}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1},"task":"37a8eec1-ce19-687d-0000-00000000001c:1"}', NULL, NULL, NULL, 1, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000001d', 'parked', 'mistaken', 'auto-2874f1f78e35', 'mistaken', 'parked', '{}', NULL, '{"type":"holdfast.errors:DeterminismError","message":"task 0 was task ''add'' when this run passed here, but the code now asks for task ''add_on_a_thread''; restore the old order, guard the change with context().patched(...), or start new runs on a new version, then resume the run","traceback":"left out","attributes":{"kind":"task","position":0,"recorded":"task ''add''","requested":"task ''add_on_a_thread''"}}', NULL, NULL, NULL, 2, 1893456265000000, 'code that it fits; it is tried again 2030-01-01T00:04:25+00:00', 1893456200000000, 1893456200000000, NULL, 1);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000001e', 'waiting-family/4', 'steps', 'auto-d662e45637ee', 'steps', 'success', '{"first":1,"second":2}', '{"total":3,"several":[3,4,5],"thread":4,"lucky":"lucky","effect":{"read":"once"},"failed effect":"invalid literal for int() with base 10: ''no number''","patched":true,"now":"2030-01-01T00:03:55Z","random":0.55434469953937,"uuid":"cb33e816-9fb8-4d84-be27-dec98d99c4de"}', NULL, x'37a8eec1ce19687d0000000000000015', 4, NULL, 3, NULL, NULL, 1893456200000000, 1893456200000000, 1893456235000000, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d000000000000001f', 'under-way-1', 'holding', 'auto-2098f6c677fe', 'holding', 'running', '{"number":1}', NULL, NULL, NULL, NULL, 'node:2265b1f5', 1, NULL, NULL, 1893456260000000, 1893456260000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000020', 'under-way-2', 'holding', 'auto-2098f6c677fe', 'holding', 'running', '{"number":2}', NULL, NULL, NULL, NULL, 'node:2265b1f5', 1, NULL, NULL, 1893456260000000, 1893456260000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000021', 'under-way-resident', 'listening', 'auto-ab71482c0419', 'listening', 'running', '{"name":"resident"}', NULL, NULL, NULL, NULL, 'node:2265b1f5', 1, NULL, NULL, 1893456260000000, 1893456260000000, NULL, 0);
INSERT INTO runs (namespace, key, id, workflow, version, claim, status, input, output, failure, parent, parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks) VALUES ('default', x'37a8eec1ce19687d0000000000000022', 'pending', 'steps', 'auto-d662e45637ee', 'steps', 'pending', '{"first":5,"second":6}', NULL, NULL, NULL, NULL, NULL, 0, 1893456261000000, NULL, 1893456261000000, NULL, NULL, 0);
INSERT INTO schema_migrations (number, name, applied_at) VALUES (1, 'kernel', '2030-01-01 00:00:00');
INSERT INTO schema_migrations (number, name, applied_at) VALUES (2, 'setbacks', '2030-01-01 00:00:00');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000001', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000004', 'listening', '"finished"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000007', 'listening', '"child"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000008', 'listening', '"detached"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000000c', 'step', '2');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000000d', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000000f', 'listening', '"loser"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000010', 'listening', '"unread"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000016', 'listening', '"child"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000017', 'listening', '"detached"');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000001b', 'step', '2');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000001c', 'step', '1');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d000000000000001e', 'total', '3');
INSERT INTO state (run, key, value) VALUES (x'37a8eec1ce19687d0000000000000021', 'listening', '"resident"');
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000001', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000001', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000001', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000001', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000001', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000001', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456000000000, 1893456030000000, 1893456030000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000001', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000001', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-000000000001:7"}', NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000002', 0, 'decline', 'failed', 1, 0, 0, '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-000000000002:0"}', NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000003', 0, 'echo', 'success', 1, 0, 0, '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000004', 0, 'add', 'success', 1, 0, 0, '{"left":2,"right":100}', '102', NULL, NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000007', 0, 'add', 'success', 1, 0, 0, '{"left":2,"right":100}', '102', NULL, NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000a', 0, 'add', 'success', 1, 0, 0, '{"left":5,"right":5}', '10', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000b', 0, 'decline', 'failed', 1, 0, 0, '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000000b:0"}', NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000c', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000c', 1, 'second_time_lucky', 'success', 2, 0, 1, '{"value":"second"}', '"second"', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000c', 2, 'add', 'success', 1, 0, 0, '{"left":2,"right":2}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000d', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000d', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000d', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000d', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000d', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456000000000, 1893456000000000, 1893456000000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000d', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456000000000, 1893456030000000, 1893456030000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000d', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000d', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000000d:7"}', NULL, NULL, 1893456030000000, 1893456030000000, 1893456030000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000e', 0, 'hold', 'cancelled', 1, 0, 0, '{"value":"never heard"}', NULL, NULL, '{"got":"never heard"}', NULL, 1893456120000000, 1893456120000000, 1893456123000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000e', 1, 'hold', 'cancelled', 1, 0, 0, '{"value":"too late"}', NULL, NULL, '{"got":"too late"}', NULL, 1893456123000000, 1893456123000000, 1893456130000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000000e', 2, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456130000000, 1893456130000000, 1893456130000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000011', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000012', 0, 'echo', 'success', 1, 0, 0, '{"order":{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}}', '{"id":"00000000-0000-0000-0000-00000000002a","price":"19.90","placed":"2030-01-01T12:30:00Z","patience":"P1DT43200S","colour":"red","label":"AP8=","tags":["tea"],"lines":[["tea",2],["pot ☕",1]],"note":null}', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000019', 0, 'add', 'success', 1, 0, 0, '{"left":5,"right":5}', '10', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001a', 0, 'decline', 'failed', 1, 0, 0, '{"code":7}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 7","traceback":"left out","cause":{"type":"builtins:LookupError","message":"no such account","traceback":"left out"},"attributes":{"code":7},"task":"37a8eec1-ce19-687d-0000-00000000001a:0"}', NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001b', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001b', 1, 'second_time_lucky', 'success', 2, 0, 1, '{"value":"second"}', '"second"', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001c', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001c', 1, 'second_time_lucky', 'failed', 1, 0, 0, '{"value":"second"}', NULL, '{"type":"tests.compat.workflows:Declined","message":"declined with code 1","traceback":"left out","attributes":{"code":1},"task":"37a8eec1-ce19-687d-0000-00000000001c:1"}', NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001d', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":1}', '2', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001e', 0, 'add', 'success', 1, 0, 0, '{"left":1,"right":2}', '3', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001e', 1, 'add', 'success', 1, 0, 0, '{"left":3,"right":0}', '3', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001e', 2, 'add', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001e', 3, 'add', 'success', 1, 0, 0, '{"left":3,"right":2}', '5', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001e', 4, 'add_on_a_thread', 'success', 1, 0, 0, '{"left":3,"right":1}', '4', NULL, NULL, NULL, 1893456200000000, 1893456200000000, 1893456200000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001e', 5, 'third_time_lucky', 'success', 3, 0, 0, '{"value":"lucky"}', '"lucky"', NULL, NULL, NULL, 1893456200000000, 1893456230000000, 1893456230000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001e', 6, 'effect', 'success', 1, 0, 0, '{}', '{"read":"once"}', NULL, NULL, NULL, 1893456230000000, 1893456230000000, 1893456230000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001e', 7, 'failing effect', 'failed', 1, 0, 0, '{}', NULL, '{"type":"builtins:ValueError","message":"invalid literal for int() with base 10: ''no number''","traceback":"left out","task":"37a8eec1-ce19-687d-0000-00000000001e:7"}', NULL, NULL, 1893456230000000, 1893456230000000, 1893456230000000);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001f', 0, 'hold', 'running', 1, 0, 0, '{"value":"held 1"}', NULL, NULL, '{"got":"held 1"}', NULL, 1893456260000000, 1893456260000000, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001f', 1, 'hold', 'pending', 1, 0, 0, '{"value":"next 1"}', NULL, NULL, NULL, NULL, 1893456260000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d000000000000001f', 2, 'third_time_lucky', 'pending', 2, 0, 0, '{"value":"lucky"}', NULL, NULL, NULL, 1893456270000000, 1893456260000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000020', 0, 'hold', 'pending', 1, 0, 0, '{"value":"held 2"}', NULL, NULL, NULL, NULL, 1893456260000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000020', 1, 'hold', 'pending', 1, 0, 0, '{"value":"next 2"}', NULL, NULL, NULL, NULL, 1893456260000000, NULL, NULL);
INSERT INTO tasks (run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, created_at, started_at, finished_at) VALUES (x'37a8eec1ce19687d0000000000000020', 2, 'third_time_lucky', 'pending', 2, 0, 0, '{"value":"lucky"}', NULL, NULL, NULL, 1893456270000000, 1893456260000000, NULL, NULL);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'approving', 'auto-3a6653a5ad65', 'code', '3a6653a5ad658b921b34f09dc809f8bdb1f10dd7c4bdd7d90530335191d90c7c', '@workflow(catalog=catalog)
async def approving() -> list[str]:
    said = [str(await context().promise("approval", str))]
    try:
        await context().promise("payment")
    except TaskError as error:
        said.append(f"{type(error).__name__}: {error}")
    return said
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'cleaning_up', 'auto-7f87d490ca48', 'code', '7f87d490ca48b8cd4ae685f72408de892b91cf9bda3731c7c77e48638fe85d93', '@workflow(catalog=catalog)
async def cleaning_up() -> None:
    """Cancelled, it takes its time to clean up."""
    try:
        await context().promise("never")
    finally:
        await add(5, 5)
        await context().signal("clean")
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'failing', 'auto-28eb18826971', 'code', '28eb188269714dd291f5ff40507100ec6099717021f154c82435de750cbda85d', '@workflow(catalog=catalog)
async def failing() -> None:
    try:
        await decline(7)
    except Declined as error:
        raise RuntimeError(f"cannot go on: {error.code}") from error
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'family', 'auto-73b058d3fe88', 'code', '73b058d3fe88559c5c2e94dc7af0cc2e547c4780f65016e0f2a838cfb57836e5', '@workflow(catalog=catalog)
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
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'holding', 'auto-2098f6c677fe', 'code', '2098f6c677fe78b4c26766f407259ff259994197e7b7ba6daba9882e3991fa9b', '@workflow(catalog=catalog)
async def holding(number: int) -> list[str]:
    """Tasks that are under way: one running, one that waits for its slot, one that waits to be retried."""
    tasks = [hold(f"held {number}"), hold(f"next {number}"), third_time_lucky("lucky")]
    return list(await asyncio.gather(*tasks))
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'listening', 'auto-ab71482c0419', 'code', 'ab71482c0419b23d963cb71cb578fe9e9ad5790868993ffe2b823a9e0350c95d', '@workflow(catalog=catalog)
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
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'mistaken', 'auto-2874f1f78e35', 'code', '2874f1f78e35fc61a889c3e02702ff2e3d675de168ab5747b081bb392ed8631a', '@workflow(catalog=catalog)
async def mistaken() -> list[int]:
    """Parked, because for a while its code asks for another task than it did."""
    first = await (add_on_a_thread if World.is_mistaken else add)(1, 1)
    await context().signal("go")
    return [first, await add(first, 1)]
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'of_a_class', '7', 'code', 'c207530c6e458d34bc454013e2cc03721ec7fa8130a8c433bb0ea5943c720c68', '@workflow(catalog=catalog, name="of_a_class", version="7")
class OfAClass:
    """A class, with an explicit version and the context as its first argument."""

    async def run(self, context: Context, order: Order) -> Order:
        self.seen = await echo(order)
        if self.seen != ORDER:
            raise ValueError("it was stored as something else")
        await context.signal("go")
        return self.seen
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'racing', 'auto-25b3d5537d31', 'code', '25b3d5537d3171ec86895fc835fd423d9ee24b9d894c0dab7f4b3f69702aec4c', '@workflow(catalog=catalog)
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
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'reopened', 'auto-877d0ec943ea', 'code', '877d0ec943ea54287c07f76456a16c505bbe27d3c0c6285f83a1faffcc8d151f', '@workflow(catalog=catalog)
async def reopened() -> list[Any]:
    """Fails at its second step the first time; opened again, it goes on from there."""
    context().state.set("step", 1)
    first = await add(1, 1)
    second = await second_time_lucky("second")
    context().state.set("step", 2)
    return [first, second, await context().signal("go"), await add(2, 2)]
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'sleeping', 'auto-0c081d8b9d9e', 'code', '0c081d8b9d9eafce21fc459bbe3e54ee7caa97b0fe2cd7b1c0e7cf4644dcaefe', '@workflow(catalog=catalog)
async def sleeping(days: int) -> str:
    began = context().now()
    await add(1, 2)
    await asyncio.sleep(days * DAY)
    await add(3, 4)
    return str(context().now() - began)
', 1893456000000000);
INSERT INTO workflows (namespace, name, version, kind, hash, source, created_at) VALUES ('default', 'steps', 'auto-d662e45637ee', 'code', 'd662e45637eefa37cb37c3d046c7b96a04818ea44d03befeb8e27bdbf7ac3a50', '@workflow(catalog=catalog)
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
', 1893456000000000);
