"""What is seen from outside: metrics."""
