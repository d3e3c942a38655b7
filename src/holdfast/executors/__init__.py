"""Executors run attempts of tasks and report how each one ended. `ports/executor.py` has the contract.

Async functions run on the event loop (`inline.py`), plain functions on threads (`threads.py`), commands and
Python functions in processes (`processes/`, `python/`), and services on workers that are called over HTTP
(`http/`). Read `inline.py` first: it is the shortest executor. `context.py` and `task_logging.py` are what a
task sees of it.
"""
