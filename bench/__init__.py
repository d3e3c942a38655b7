"""`python -m bench`: the workloads of the design, measured on both stores, as JSON lines."""
