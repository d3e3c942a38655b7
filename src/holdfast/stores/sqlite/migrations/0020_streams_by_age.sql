-- needs: 0004
-- When the items of a row are dropped, as the setting of the node says that wrote them. NULL: not by age.
ALTER TABLE stream_items ADD COLUMN drop_at INTEGER;

CREATE INDEX stream_items_to_drop ON stream_items (drop_at) WHERE drop_at IS NOT NULL;
