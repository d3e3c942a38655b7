"""What executors see of a flow: which service is called, and with what."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec
import pytest

from holdfast.authoring.flow.loader import load_flow_text
from holdfast.authoring.flow.workflow import FlowWorkflow
from holdfast.core.policies import TaskOptions
from holdfast.core.values import Payload, RunKey
from holdfast.ports.executor import Attempt

SERVICES = """
    start: one
    nodes:
      one: {kind: executor, service: resize, max_attempts: 2, attempt_delay_ms: 50, weighted_by_load: true}
      several: {kind: parallel, parallel_services: [crop, sharpen]}
      each: {kind: foreach, service: store, prep: {input_key: $params.items}}
    edges: [{from: one, to: several}, {from: several, to: each}]
"""


@pytest.mark.parametrize(
    ("task", "given", "service"),
    [
        ("one", {}, "resize"),
        ("several/branch", {"branch": 1, "service": "sharpen"}, "sharpen"),
        ("each/item", {"index": 3}, "store"),
    ],
)
def test_a_call_is_of_the_service_of_its_node_or_branch(task: str, given: dict[str, Any], service: str):
    flow = FlowWorkflow(load_flow_text(SERVICES), SERVICES, None)
    input = {"input": [1], "params": {"x": 2}, **given}

    call = flow.service_call(_attempt(task, input))

    assert call.service == service
    assert msgspec.json.decode(call.body) == {"input": [1], "params": {"x": 2}}


def test_a_call_is_made_as_its_node_says():
    flow = FlowWorkflow(load_flow_text(SERVICES), SERVICES, None)

    call = flow.service_call(_attempt("one", {"input": None, "params": {}}))

    expected = (2, dt.timedelta(milliseconds=50), True)
    assert (call.max_attempts, call.attempt_delay, call.weighted_by_load) == expected


def _attempt(task: str, input: dict[str, Any]) -> Attempt:
    payload = Payload(msgspec.json.encode(input))
    return Attempt(RunKey(bytes(16)), None, "default", "flow", "1", 0, task, payload, TaskOptions(), 1)
