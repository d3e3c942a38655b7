"""`python -m bench`: measures the workloads on both stores and prints JSON lines."""
