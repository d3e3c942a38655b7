"""An executor on the test's own loop, with the engine's side of the port played by lists."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import msgspec
from tests.patience import PATIENCE

from holdfast.core.codec import Codec
from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.values import Failed, Failure, Outcome, Payload, RunKey, Succeeded
from holdfast.errors import UnknownTask, WrongType
from holdfast.executors.inline import InlineExecutor
from holdfast.executors.threads import ThreadExecutor
from holdfast.ports.executor import Attempt

RUN = RunKey(bytes(range(16)))


class FunctionBody:
    """A task of one JSON argument or none."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function)

    def call(self, input: Payload) -> Any:
        try:
            arguments = msgspec.json.decode(input, type=list[Any])
        except msgspec.DecodeError as error:
            raise WrongType("the input", str(error)) from error
        return self.function(*arguments)

    def store(self, result: Any) -> Payload:
        return Codec().encode(result, "the result")

    def explain(self, error: BaseException) -> Failure:
        return Failure(type(error).__name__, str(error))


class Recorder:
    """Starts attempts and keeps what is reported of them."""

    def __init__(self, kind: type[InlineExecutor] | type[ThreadExecutor], capacity: int = 4) -> None:
        self.bodies: dict[str, FunctionBody] = {}
        self.reports: list[tuple[Attempt, Outcome]] = []
        self.beats: list[Any] = []
        """Decoded; None is a heartbeat without details."""
        self.on_report: Callable[[Attempt, Outcome], None] = lambda attempt, outcome: None
        self.executor = kind(self._body, self._report, self._beat, Codec(), capacity)
        self.changed = asyncio.Event()

    def add(self, function: Callable[..., Any]) -> str:
        self.bodies[function.__name__] = FunctionBody(function)
        return function.__name__

    def start(
        self, function: Callable[..., Any], *arguments: Any, number: int = 1, details: object = None
    ) -> Attempt:
        attempt = Attempt(
            run=RUN,
            id="order-1",
            namespace="shop",
            workflow="checkout",
            version="1",
            seq=7,
            name=self.add(function),
            own_input=Payload(msgspec.json.encode(arguments)),
            options=DEFAULT_OPTIONS,
            number=number,
            heartbeat_details=None if details is None else Payload(msgspec.json.encode(details)),
        )
        self.executor.start(attempt)
        return attempt

    async def outcome_of(self, attempt: Attempt) -> Outcome:
        """The one report of this attempt, once it is there."""
        async with asyncio.timeout(PATIENCE):
            while not (found := [outcome for one, outcome in self.reports if one is attempt]):
                self.changed.clear()
                await self.changed.wait()
        assert len(found) == 1
        return found[0]

    async def run(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Outcome:
        return await self.outcome_of(self.start(function, *arguments, **options))

    async def wait_for_reports(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.reports) < count:
                self.changed.clear()
                await self.changed.wait()

    def _body(self, attempt: Attempt) -> FunctionBody:
        name = attempt.name
        if name not in self.bodies:
            raise UnknownTask(name, list(self.bodies))
        return self.bodies[name]

    def _report(self, attempt: Attempt, outcome: Outcome) -> None:
        self.reports.append((attempt, outcome))
        self.on_report(attempt, outcome)
        self.changed.set()

    def _beat(self, attempt: Attempt, details: Payload | None) -> None:
        assert asyncio.get_running_loop()
        self.beats.append(None if details is None else msgspec.json.decode(details))


def value_of(outcome: Outcome) -> Any:
    assert isinstance(outcome, Succeeded), outcome
    return msgspec.json.decode(outcome.payload)


def failure_of(outcome: Outcome) -> Failure:
    assert isinstance(outcome, Failed), outcome
    return outcome.failure
