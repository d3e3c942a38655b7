-- needs: 0004
-- What the input of a workflow looks like: its JSON Schema and the order of its parameters, as JSON. NULL: not known, as for all
-- that older releases have registered. As text, since the order of fields counts and it is compared.
ALTER TABLE holdfast.workflows ADD COLUMN input_schema text;

-- When a node or a client has registered the version last. NULL: not since this column exists.
ALTER TABLE holdfast.workflows ADD COLUMN seen_at timestamptz;
