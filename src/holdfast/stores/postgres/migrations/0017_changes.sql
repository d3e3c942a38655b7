-- needs: 0004
-- What happened to runs, for watchers: one row for each transaction that changed some. The rows are read in the
-- order of `id`. The oldest are removed after a while, but there is always one: a watcher that has read as far as a
-- row that is still there has missed nothing.
-- Transactions run side by side, so a row may become visible after rows with a greater id; see change_bounds.
CREATE TABLE holdfast.changes (
    id        bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT changes_pkey PRIMARY KEY,
    namespace text COLLATE "C" NOT NULL,
    at        timestamptz NOT NULL,
    size      int NOT NULL, -- of the body, in bytes
    body      bytea NOT NULL -- MessagePack; see change_log.py
);

INSERT INTO holdfast.changes (namespace, at, size, body) VALUES ('', now(), 0, '');
