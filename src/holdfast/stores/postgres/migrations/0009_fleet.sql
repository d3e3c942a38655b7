-- needs: 0004
-- Facts that let the nodes of a fleet share the work without asking each other. A node of 0.4.0 writes neither.

-- The node that released the run. It is told when the run has something to do again, and no other is. NULL: all are.
ALTER TABLE holdfast.runs ADD COLUMN last_owner text;

-- Which workflows the node serves, as a hash. Nodes with the same hash share new runs. NULL: the node takes no part.
ALTER TABLE holdfast.nodes ADD COLUMN serves text;

-- When the node last looked for work, within half a minute. So others know of it while it is idle and has no lease.
-- NULL: the node takes no part.
ALTER TABLE holdfast.nodes ADD COLUMN seen_at timestamptz;
