"""The routes under /api, one file per noun."""
