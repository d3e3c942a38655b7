"""Plain functions served as services, to nodes that call them or from the queue."""

from holdfast.worker.calls import Call
from holdfast.worker.worker import Worker

__all__ = ["Call", "Worker"]
