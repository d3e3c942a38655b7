-- needs: 0004
-- Questions that are closed, the newest last, and the answer to a question: for a list of what was answered.
CREATE INDEX questions_closed ON questions (namespace, closed_at, run, number) WHERE closed_at IS NOT NULL;

CREATE INDEX messages_answering ON messages (run, question) WHERE question IS NOT NULL;
