-- needs: 0004
-- how: concurrently
-- Answers that came before the run asked.
CREATE INDEX CONCURRENTLY messages_ahead ON holdfast.messages (run, name)
    WHERE kind IN ('resolved', 'rejected') AND question IS NULL;
