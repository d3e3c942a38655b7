"""The routes of a scheduler of DAGs: /api/workflows and /api/runs."""
