-- needs: 0004
-- Answers that came before the run asked.
CREATE INDEX messages_ahead ON messages (run, name) WHERE kind IN ('resolved', 'rejected') AND question IS NULL;
