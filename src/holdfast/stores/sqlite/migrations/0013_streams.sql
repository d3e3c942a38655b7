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
