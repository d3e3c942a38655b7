"""The routes under /api, one file a noun."""
