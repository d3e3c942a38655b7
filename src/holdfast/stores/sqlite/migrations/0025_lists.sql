-- needs: 0004
-- The runs of a schedule, the newest last. Other runs are not in this index. The index of children has their keys in order
-- already: SQLite adds the primary key to each entry.
CREATE INDEX runs_by_schedule ON runs (namespace, schedule, key) WHERE schedule IS NOT NULL;
