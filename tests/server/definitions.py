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


def branching(function: str) -> dict[str, Any]:
    """A node that calls a function for each of `$params.numbers`; a subflow that does so with the first."""
    work = {"exec_type": "local_func", "func": function}
    inner = {"kind": "executor", **work, "prep": {"input_key": "$params.numbers[0]"}}
    return {
        "start": "each",
        "nodes": {
            "each": {
                "kind": "foreach",
                **work,
                "prep": {"input_key": "$params.numbers"},
                "post": {"output_key": "doubled"},
            },
            "inside": {
                "kind": "subflow",
                "subflow": {"start": "work", "nodes": {"work": inner}, "edges": []},
            },
        },
        "edges": [{"from": "each", "to": "inside"}],
    }
