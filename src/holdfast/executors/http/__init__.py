"""Services: tasks that workers do when they are called over HTTP.

Read `executor.py` first. `service_workers.py` chooses the worker to call, and `worker_client.py` makes one
call. The other side of such a call is `holdfast.worker`.
"""
