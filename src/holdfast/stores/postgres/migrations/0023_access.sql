-- needs: 0004
-- Keys of people and programs that use the server. The secret of a key is not here, only its hash.
CREATE TABLE holdfast.keys (
    id         text COLLATE "C" CONSTRAINT keys_pkey PRIMARY KEY,
    namespace  text COLLATE "C" NOT NULL, -- '*': all
    name       text NOT NULL,
    role       text NOT NULL,
    hash       text NOT NULL, -- SHA-256 of the secret, as hexadecimal digits
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    expires_at timestamptz,
    used_at    timestamptz, -- about when it was used last
    revoked_at timestamptz,
    revoked_by text
);

CREATE INDEX keys_by_namespace ON holdfast.keys (namespace, created_at, id);

-- What people and programs have changed. Rows are only added, and the oldest are removed after a while if a node was
-- told so.
CREATE TABLE holdfast.audit (
    number    bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_pkey PRIMARY KEY,
    namespace text COLLATE "C" NOT NULL,
    at        timestamptz NOT NULL,
    by        text NOT NULL,
    key       text, -- the id of the key; NULL: without one
    action    text NOT NULL,
    target    text COLLATE "C" NOT NULL,
    request   text, -- the id that the caller gave to the request
    before    json,
    after     json,
    uid       text COLLATE "C" NOT NULL -- made by the writer, so that a row that is sent again is added once
);

CREATE UNIQUE INDEX audit_once ON holdfast.audit (uid);
CREATE INDEX audit_by_namespace ON holdfast.audit (namespace, number);
CREATE INDEX audit_by_target ON holdfast.audit (namespace, target, number);
