"""Documents that people write: nodes with positions, shapes of fields, conditions, and the problems found in
them."""
