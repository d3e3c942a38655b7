"""Python functions, called in worker processes that are used again.

In the node: `pool.py`, the executor, is the file to read first. It builds on `processes/`. In a worker
process: `worker_script.py` is the script, `function_worker.py` answers one call after the other,
`functions.py` finds the users' functions, and `call_setup.py` and `process_globals.py` make sure that each
call finds a clean process.
"""
