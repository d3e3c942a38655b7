"""Flows that the tests publish."""

from __future__ import annotations

from typing import Any


def calling(function: str, **more: Any) -> dict[str, Any]:
    """One node that calls a function of this process with `$params.n`."""
    node = {
        "kind": "executor",
        "exec_type": "local_func",
        "func": function,
        "prep": {"input_key": "$params.n"},
        "post": {"output_key": "result", "action_static": "done"},
        **more,
    }
    return {"start": "work", "nodes": {"work": node}, "edges": []}


def asking(service: str, **more: Any) -> dict[str, Any]:
    """One node whose work waits in the queue for a worker."""
    node = {
        "kind": "executor",
        "exec_type": "queue",
        "service": service,
        "params": {"size": "small"},
        "prep": {"input_key": "$params.n"},
        "post": {"output_key": "result"},
        **more,
    }
    return {"start": "work", "nodes": {"work": node}, "edges": []}


def waiting() -> dict[str, Any]:
    """One node that waits until it is approved."""
    node = {"kind": "approval", "params": {"approval_key": "$shared.verdict"}, "post": {"output_key": "said"}}
    return {"start": "ask", "nodes": {"ask": node}, "edges": []}
