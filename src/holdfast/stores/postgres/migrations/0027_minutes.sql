-- needs: 0004
-- How many runs were started and ended in each minute of about a week. A row is used again for the minute that comes so
-- many slots later, so nobody has to delete any.
CREATE TABLE holdfast.run_minutes (
    namespace text COLLATE "C" NOT NULL,
    slot      int4 NOT NULL, -- the minute modulo the number of slots
    writer    int4 NOT NULL, -- so that few transactions wait for each other
    minute    int4 NOT NULL, -- since 1970
    started   int4 NOT NULL,
    succeeded int4 NOT NULL,
    failed    int4 NOT NULL,
    cancelled int4 NOT NULL,
    CONSTRAINT run_minutes_pkey PRIMARY KEY (namespace, slot, writer)
) WITH (fillfactor = 70);
