-- needs: 0004
-- What a node says of itself: its version, its queues with their limits, and what waits there. JSON.
-- And what it was asked: to end in order. The node reads that when it looks for work.
ALTER TABLE nodes ADD COLUMN report TEXT;
ALTER TABLE nodes ADD COLUMN drain_asked_at INTEGER;
ALTER TABLE nodes ADD COLUMN drain_asked_by TEXT;
