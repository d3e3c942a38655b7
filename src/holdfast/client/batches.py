"""Starting many runs of a workflow at once."""

from __future__ import annotations

import asyncio
import builtins
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from holdfast.client.run import Run
from holdfast.core.names import checked_address_name
from holdfast.core.run_options import StartKeywords, StartOptions, StartTarget, root_and_options
from holdfast.core.values import Payload
from holdfast.errors import BadOption, Refused, WrongType
from holdfast.ports.workflows import HasRun, Startable

R = TypeVar("R")

_PACKED_AT_ONCE = 500


class Call(NamedTuple):
    """A run to be started, for `hf.start_calls`: its arguments, and its id if it has one."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    id: str | None = None


class RunBatches:
    """The part of a client that starts many runs."""

    @abstractmethod
    async def _startable(self, workflow: Any, version: str | int | None) -> Startable: ...

    @abstractmethod
    async def _submit_with(
        self, startable: Startable, runs: Sequence[tuple[Payload, str | None]], options: StartOptions
    ) -> builtins.list[Run[Any]]: ...

    async def start_many(
        self,
        workflow: StartTarget[..., R] | type[HasRun[..., R]] | str,
        inputs: Iterable[Any],
        *,
        ids: Sequence[str] | None = None,
    ) -> list[Run[R]]:
        """Start a run for each input, all in one batch. An input is a tuple of arguments, or a single one."""
        target, options = root_and_options(workflow)
        if options.id is not None:
            raise BadOption("id", options.id, "given as ids=, one for each input")
        startable = await self._startable(target, options.version)
        packed = [startable.pack(_arguments(each), {}) for each in inputs]
        names = [None] * len(packed) if ids is None else [checked_address_name("id", id) for id in ids]
        if len(names) != len(packed):
            raise BadOption("ids", len(names), f"as many as there are inputs, {len(packed)}")
        options.check_policy(names)
        return await self._submit_with(startable, list(zip(packed, names, strict=True)), options)

    async def start_calls(
        self, workflow: StartTarget[..., R] | type[HasRun[..., R]] | str, calls: Sequence[Call]
    ) -> list[Run[R]]:
        """As `start_many`, for arguments that are given by name. Some of the runs may have ids.

        An error says which of the calls it is about.
        """
        target, options = root_and_options(workflow)
        if options.id is not None:
            raise BadOption("id", options.id, "given with each call")
        startable = await self._startable(target, options.version)
        runs: list[tuple[Payload, str | None]] = []
        for number, call in enumerate(calls):
            try:
                id = None if call.id is None else checked_address_name("id", call.id)
                runs.append((packed(startable, call.args, dict(call.kwargs)), id))
            except Refused as error:
                error.args = (f"call {number}: {error}",)
                raise
            if number % _PACKED_AT_ONCE == _PACKED_AT_ONCE - 1:
                await asyncio.sleep(0)
        options.check_policy([id for _, id in runs])
        return await self._submit_with(startable, runs, options)


def packed(startable: Startable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Payload:
    """Raises WrongType. It says so if an option of the run was given as an argument."""
    try:
        return startable.pack(args, kwargs)
    except WrongType as error:
        for option in sorted(StartKeywords.__annotations__.keys() & kwargs.keys()):
            if f"unexpected keyword argument {option!r}" in error.reason:
                hint = f"{option} is an option of the run: start(workflow.options({option}=…), …)"
                raise WrongType(error.what, f"{error.reason}; {hint}") from None
        raise


def _arguments(input: Any) -> tuple[Any, ...]:
    return cast("tuple[Any, ...]", input) if isinstance(input, tuple) else (input,)
