"""Random DAGs, and what must become of each by an interpreter that knows nothing of how holdfast does it."""
