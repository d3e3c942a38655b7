-- How many nodes in a row have taken a run and come to nothing with it: they died, or had code that did
-- not fit it. Such runs are taken in ever smaller company, and not for ever.
ALTER TABLE holdfast.runs ADD COLUMN setbacks int NOT NULL DEFAULT 0;
