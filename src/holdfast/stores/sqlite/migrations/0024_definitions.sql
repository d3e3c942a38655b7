-- needs: 0004
-- What the input of a workflow looks like: its JSON Schema and the order of its parameters, as JSON. NULL: not known, as for all
-- that older releases have registered.
ALTER TABLE workflows ADD COLUMN input_schema TEXT;

-- When a node or a client has registered the version last. NULL: not since this column exists.
ALTER TABLE workflows ADD COLUMN seen_at INTEGER;
