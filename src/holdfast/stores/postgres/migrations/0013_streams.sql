-- needs: 0004
-- Items that tasks and workflows publish, for whoever reads the stream while the run goes on. A row has a batch of
-- items. Each stream of a run counts its items from 0: the row has those from `first_offset` to `next_offset`,
-- without the last. `total_bytes` is the size of all rows of the stream up to this one, those that were dropped too.
CREATE TABLE holdfast.stream_items (
    run          uuid NOT NULL,
    name         text COLLATE "C" NOT NULL,
    seq          int NOT NULL, -- the number of the task; -1: the code of the workflow
    attempt      int NOT NULL, -- 0: the code of the workflow
    is_first     int NOT NULL, -- 1: the attempt has published nothing to this stream before
    first_offset bigint NOT NULL,
    next_offset  bigint NOT NULL,
    total_bytes  bigint NOT NULL,
    items        json NOT NULL, -- a list of instants and values
    CONSTRAINT stream_items_by_offset PRIMARY KEY (run, name, next_offset)
);
