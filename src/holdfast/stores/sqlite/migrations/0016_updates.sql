-- needs: 0004
-- An update is a message with an answer: what its handler returned or raised, or why it was refused.
ALTER TABLE messages ADD COLUMN answer TEXT; -- JSON
