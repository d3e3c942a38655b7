-- needs: 0004
-- how: concurrently
-- Questions that are closed, the newest last, and the answer to a question: for a list of what was answered.
CREATE INDEX CONCURRENTLY questions_closed ON holdfast.questions (namespace, closed_at, run, number)
    WHERE closed_at IS NOT NULL;

CREATE INDEX CONCURRENTLY messages_answering ON holdfast.messages (run, question) WHERE question IS NOT NULL;
