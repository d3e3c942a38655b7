"""`holdfast.worker`: a process of its own that serves plain functions as services.

Read `worker.py` first. In push mode nodes call the worker over HTTP (`pushing.py`). In pull mode it polls the
queue (`pulling.py`). Both run functions by `calls.py`, bind their parameters by `services.py`, and reach the
server by `server_link.py`.
"""

from holdfast.worker.calls import Call
from holdfast.worker.worker import Worker

__all__ = ["Call", "Worker"]
