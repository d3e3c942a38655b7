"""A registered task as the work of a node. Its first parameter gets the input, the others come from params.

A parameter called `params` gets all params. Values are converted to the declared types as in any call of the
task.
"""

from __future__ import annotations

from typing import Any

import msgspec

from holdfast.authoring.catalog import Body, TaskDefinition
from holdfast.core.codec import Codec
from holdfast.core.values import Payload
from holdfast.errors import WrongType


class WorkInput(msgspec.Struct, frozen=True):
    """The input of a task of a flow; see `visits` and `branches`."""

    input: Any
    params: dict[str, Any] = {}
    service: str = ""


_read = msgspec.json.Decoder(WorkInput).decode


def arguments(names: list[str], input: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name. A parameter that params does not have keeps its default."""
    given: dict[str, Any] = {}
    for position, name in enumerate(names):
        if position == 0:
            given[name] = input
        elif name == "params":
            given[name] = params
        elif name in params:
            given[name] = params[name]
    return given


class FunctionBody(Body):
    """A task ready to be called for a node of a flow."""

    def __init__(self, task: TaskDefinition, codec: Codec) -> None:
        super().__init__(task, codec)
        self._names: list[str] = task.signature.names
        self._needed: list[str] = task.signature.needed

    def call(self, input: Payload) -> Any:
        work = _read(input)
        given = arguments(self._names, work.input, work.params)
        missing = [name for name in self._needed if name not in given]
        name = self._signature.name
        if missing:
            reason = f"params has no {', '.join(map(repr, missing))}; its first parameter gets the input"
            raise WrongType(f"a call of {name} by a flow", reason)
        return super().call(self._codec.encode(given, f"the arguments of {name}"))
