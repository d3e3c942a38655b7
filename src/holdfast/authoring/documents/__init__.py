"""Reading what people write: texts as nodes that know where they stand, their shapes, and all that is wrong
with them."""
