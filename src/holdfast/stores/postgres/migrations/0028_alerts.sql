-- needs: 0004
-- Rules that say whom to tell of runs that fail, are parked, are late or wait for an answer.
CREATE TABLE holdfast.alerts (
    namespace  text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    rule       json NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    CONSTRAINT alerts_pkey PRIMARY KEY (namespace, name)
);
