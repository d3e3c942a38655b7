"""The routes of a scheduler of flow graphs: /api/flows, /api/tasks, /api/workers and /api/queue."""
