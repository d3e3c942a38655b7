"""What clients do with signals: send them, send many, and start runs with them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from holdfast.client.operators import checked_sender
from holdfast.client.posting import Letter, MessagePoster, new_uid, twice
from holdfast.client.run import Run
from holdfast.client.signals import Signal, refusal, signal_letter
from holdfast.client.starting import Starter
from holdfast.client.traced_calls import sending, sending_many, starting
from holdfast.core.records import MessageKind, RunRecord, new_run
from holdfast.core.run_options import IdPolicy, StartTarget, root_and_options
from holdfast.core.values import Instant, Payload, RunKey, key_text
from holdfast.errors import BadOption, CommitRefused, HoldfastError, RunExists, RunNotFound, SignalsRefused
from holdfast.ports.clients import ClientStore
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import PostResult
from holdfast.ports.tracing import ClientTracing
from holdfast.ports.workflows import Startable, Workflows

P = ParamSpec("P")
R = TypeVar("R")


class RunSignals:
    """The part of a client that sends signals."""

    namespace: str
    _store: ClientStore
    _workflows: Workflows
    _starter: Starter
    _poster: MessagePoster
    _now: Callable[[], Instant]
    _new_key: Callable[[Instant], RunKey]
    _tracing: ClientTracing | None

    @abstractmethod
    def _check_loop(self) -> None: ...

    @abstractmethod
    def _check_run(self, run: Run[Any] | str) -> None: ...

    @abstractmethod
    async def _startable(self, workflow: Any, version: str | int | None) -> Startable: ...

    @abstractmethod
    def _handle(self, key: RunKey, id: str, unpack: Callable[[Payload], Any]) -> Run[Any]: ...

    async def signal(
        self,
        run: Run[Any] | str,
        name: str,
        value: Any = None,
        *,
        by: str = "",
        message_id: str | None = None,
    ) -> None:
        """Send a message. The run receives it with `context().signal(name)`: in order, and once.

        `message_id` is what you call this signal: the run gets it once, however often you send it under that
        id. Raises MessageIdTaken if the run has another message of that id. `by`, here and below, says who
        does it; `messages` tells it.
        """
        letter = signal_letter(address_of(run), Signal(name, value, message_id, by), self._workflows)
        async with sending(self._tracing, "signal", name, id_of(run), lambda: self._record_of(run)):
            await self._send(run, letter)

    async def signal_many(self, signals: Iterable[tuple[Run[Any] | str, Signal]]) -> None:
        """Send many signals, each to its run, in a few transactions: `[(run, Signal("paid", 5)), …]`.

        Raises SignalsRefused if some runs are not there or have ended. It names all of them; the other
        signals were sent. If a value cannot be stored, nothing is sent. If the store does not answer, some
        may have been sent: with message ids, send all of them again.
        """
        self._check_loop()
        refused: dict[int, HoldfastError] = {}
        letters: dict[int, Letter] = {}
        ids: list[str] = []
        for place, (run, signal) in enumerate(signals):
            letters[place] = signal_letter(address_of(run), signal, self._workflows)
            try:
                self._check_run(run)
            except RunNotFound as error:
                refused[place] = error
                del letters[place]
            ids.append(id_of(run))
        with sending_many(self._tracing, "signal", {it.name for it in letters.values()}, ids):
            results = await self._poster.post_many([*letters.values()])
        for (place, letter), result in zip(letters.items(), results, strict=True):
            if isinstance(result, CommitRefused):
                error = result
            elif isinstance(result, BaseException):
                raise result
            else:
                error = refusal(result, letter, ids[place], self.namespace)
            if error is not None:
                refused[place] = error
        if refused:
            raise SignalsRefused(sorted(refused.items()), len(ids) - len(refused))

    async def signal_or_start(
        self, workflow: StartTarget[P, R], signal: Signal, /, *args: P.args, **kwargs: P.kwargs
    ) -> Run[R]:
        """Send a signal to the run of an id. If there is none, start it, with the signal in its inbox:
        `hf.signal_or_start(order.options(id="order-5"), Signal("item", 1), customer)`.

        Both happen in one transaction: of many clients that call this at once, one starts the run, and the
        run gets the signals of all. Returns the run. Arguments and options are used only for a new run.
        Raises RunEnded if the run has ended, and RunExists if it is a run of another workflow.
        """
        target, options = root_and_options(workflow)
        if options.id is None:
            raise BadOption("id", None, 'given: signal_or_start(order.options(id="order-5"), …)')
        if options.id_policy != IdPolicy.RETURN:
            raise BadOption("id_policy", options.id_policy, "left out: a run that goes on gets the signal")
        startable = await self._startable(target, options.version)
        now, name = self._now(), startable.definition.name
        pinned, input = startable.pinned, startable.pack(args, kwargs)
        with starting(self._tracing, name, [(input, options.id)], options.terms(now)) as terms:
            run = new_run(
                self._new_key(now),
                self.namespace,
                options.id,
                name,
                pinned.version,
                pinned.claim,
                input,
                now,
                terms=terms,
            )
            letter = signal_letter(run.key, signal, self._workflows)
            key = await self._send_or_start(run, letter)
        return self._handle(key, options.id, startable.unpack_result)

    async def _send_or_start(self, run: RunRecord, letter: Letter) -> RunKey:
        """Returns the key of the run that got the signal."""
        uid, id = letter.uid or new_uid(), run.id or ""
        message = NewMessage(run.key, letter.kind, letter.name, letter.payload, by=letter.by or None, uid=uid)
        send = lambda: self._store.signal_or_start(self.namespace, run, message, self._now())  # noqa: E731
        found = await twice(send)
        if found.result is PostResult.NO_SUCH_RUN:
            found = await twice(send)  # the run that had the id was just deleted
        if found.result is None:
            difference = f"it is a run of {found.workflow!r}, not of {run.workflow!r}"
            raise RunExists(id, key_text(found.key), difference)
        refused = refusal(found.result, letter, id, self.namespace)
        if refused is not None:
            raise refused
        self._starter.take_up([found.key])
        return found.key

    async def _post(
        self, run: Run[Any] | str, kind: MessageKind, name: str, payload: Payload, by: str
    ) -> None:
        await self._send(run, Letter(address_of(run), kind, name, payload, checked_sender(by)))

    async def _record_of(self, run: Run[Any] | str) -> RunRecord | None:
        self._check_run(run)
        return await self._store.find_run(self.namespace, address_of(run))

    async def _send(self, run: Run[Any] | str, letter: Letter) -> None:
        self._check_run(run)
        refused = refusal(await self._poster.post(letter), letter, id_of(run), self.namespace)
        if refused is not None:
            raise refused


def address_of(run: Run[Any] | str) -> RunKey | str:
    return run.key if isinstance(run, Run) else run


def id_of(run: Run[Any] | str) -> str:
    return run.id if isinstance(run, Run) else run
