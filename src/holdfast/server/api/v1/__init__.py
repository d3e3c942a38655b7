"""The routes under /api/v1, one file for each noun."""
