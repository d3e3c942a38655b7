-- needs: 0004
-- What a node says of itself: its version, its queues with their limits, and what waits there. JSON.
-- And what it was asked: to end in order. The node reads that when it looks for work.
ALTER TABLE holdfast.nodes ADD COLUMN report text, ADD COLUMN drain_asked_at timestamptz, ADD COLUMN drain_asked_by text;
