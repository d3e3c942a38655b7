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
