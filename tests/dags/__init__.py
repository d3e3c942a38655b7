"""Random DAGs, and what must become of each according to an interpreter that knows nothing of how holdfast does it."""
