"""Starting workflows in code that only other processes have: what the store knows of them is enough.

The store has their source, which is not executed here. It has what their input looks like, too, so arguments
are bound and checked as in a process that has the code. Results are plain values. If an older
release has registered the workflow, arguments are given by name, and the node that takes the run checks them.
"""

from __future__ import annotations

from typing import Any

from holdfast.core.codec import Codec, decode_any
from holdfast.core.input_schemas import read_schema
from holdfast.core.records import TASK_VERSION, Definition, task_claim
from holdfast.core.values import Payload
from holdfast.errors import WrongType
from holdfast.ports.programs import Pinned
from holdfast.ports.workflows import Startable


def startable_code(definition: Definition, codec: Codec) -> Startable:
    name, version = definition.name, definition.version
    schema = read_schema(definition.input_schema)

    def pack(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Payload:
        if schema is not None:
            return schema.pack(args, kwargs, codec, name)
        if args:
            raise WrongType(
                f"a call of {name}",
                "it is not defined in this process, so its parameters are not known here; give all arguments "
                f"by name, as in start({name!r}, amount=5), or import the module that defines it",
            )
        return codec.encode(kwargs, f"a call of {name}")

    if version == TASK_VERSION:
        claim = task_claim(name)
    else:
        claim = name if version.startswith("auto-") else f"{name}@{version}"
    return Startable(definition, Pinned(version, claim), pack, decode_any)
