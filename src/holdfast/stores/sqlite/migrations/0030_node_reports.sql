-- needs: 0004
-- What a node says of itself: its version, its queues with their limits, and what waits there. JSON.
ALTER TABLE nodes ADD COLUMN report TEXT;
