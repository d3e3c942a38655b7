-- needs: 0004
-- Sessions of people who have logged in with a browser. The secret of a session is not here, only its hash.
CREATE TABLE holdfast.sessions (
    id         text COLLATE "C" CONSTRAINT sessions_pkey PRIMARY KEY,
    namespace  text COLLATE "C" NOT NULL, -- '*': all
    name       text NOT NULL,
    role       text NOT NULL,
    hash       text NOT NULL, -- SHA-256 of the secret, as hexadecimal digits
    key        text COLLATE "C", -- the id of the key that it was made with; NULL: none
    subject    text COLLATE "C" NOT NULL, -- who has logged in: the id of the key, or what the identity provider says
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz NOT NULL -- about when it was used last
);

CREATE INDEX sessions_by_namespace ON holdfast.sessions (namespace, created_at, id);
CREATE INDEX sessions_by_subject ON holdfast.sessions (subject, created_at, id);
CREATE INDEX sessions_by_expiry ON holdfast.sessions (expires_at);
