"""Remote workers and the task queue: `hf.workers`.

A worker registers and sends a heartbeat every few seconds. There are two types. A node calls an HTTP worker
at its URL. A polling worker takes a task from the queue, runs it and completes it. Its lease on the task is
renewed by heartbeats. When the lease expires, another worker gets the task, and what the first one reports is
refused with ItemLost.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast

import msgspec

from holdfast.core.codec import Codec
from holdfast.core.names import checked_name
from holdfast.core.values import (
    Failed,
    Failure,
    Instant,
    Outcome,
    Payload,
    RunKey,
    Succeeded,
    key_from_text,
    key_text,
    later,
    moment,
)
from holdfast.errors import BadOption, ItemLost, NoWorker, WrongType, show
from holdfast.ports.outbound import AddressGate
from holdfast.ports.workers import Completion, CompletionResult, QueueItem, WorkerRecord, WorkerStore

HTTP: Final = "http"
"""The type of workers that a node calls."""
POLLING: Final = "async"
"""The type of workers that poll the queue."""
NO_URL: Final = "queue"
"""Stands for the URL of a polling worker."""

_MOST_SERVICES = 1000
_LONGEST_URL = 2000
_LONGEST_ERROR = 100_000
_LARGEST = 2**31 - 1
_LONGEST_TTL = dt.timedelta(days=36_500)


EncodeValue: TypeAlias = Callable[[Any, str], Payload]

_encode: Final[EncodeValue] = Codec().encode


class WorkerInfo(msgspec.Struct, frozen=True):
    id: str
    url: str
    services: list[str]
    type: str
    load: int
    heartbeat_at: dt.datetime
    is_online: bool


class Workers:
    def __init__(
        self,
        store: WorkerStore,
        *,
        namespace: str,
        now: Callable[[], Instant],
        ttl: dt.timedelta,
        queue_lease: dt.timedelta,
        encode: EncodeValue = _encode,
        gate: AddressGate | None = None,
    ) -> None:
        """`encode` takes a result and its name for errors, and returns JSON. It refuses large results. `gate`
        knows which workers may be called; None: it is seen when they are."""
        self._store = store
        self._namespace = namespace
        self._now = now
        self._ttl = ttl
        self._queue_lease = queue_lease
        self._encode = encode
        self._gate = gate

    # --- the registry

    async def register(self, id: str, url: str, services: Sequence[str], type: str = "") -> None:
        """Add a worker, or replace its registration. Without a URL it is a polling worker.

        Raises BadOption, WrongType, and AddressRefused if nodes may not call a worker there.
        """
        url = url or NO_URL
        kind = type or (POLLING if url == NO_URL else HTTP)
        record = WorkerRecord(
            checked_name("id", id),
            _checked_url(url),
            _checked_services(services),
            checked_name("type", kind),
            0,
            self._now(),
        )
        if self._gate is not None and record.url != NO_URL:
            await self._gate.check("url", record.url)
        await self._store.register_worker(self._namespace, record)

    async def heartbeat(self, id: str, url: str = "", load: int = 0) -> bool:
        """Keep the worker online and renew its leases. False: it must register first.

        If the id is unknown, the worker is looked up by its URL.
        """
        _check_number("load", load)
        now = self._now()
        return await self._store.record_heartbeat(
            self._namespace,
            checked_name("id", id),
            _checked_url(url or NO_URL),
            load,
            now,
            self._lease_until(now),
        )

    async def list(self, service: str | None = None, ttl: dt.timedelta | None = None) -> list[WorkerInfo]:
        """Workers of the service with a heartbeat within `ttl` (`worker_ttl_seconds` by default), by id."""
        ttl = self._ttl if ttl is None else ttl
        if not isinstance(ttl, dt.timedelta) or not dt.timedelta(0) < ttl <= _LONGEST_TTL:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BadOption("ttl", ttl, "a timedelta longer than zero, and at most a hundred years")
        now = self._now()
        found = await self._store.list_workers(self._namespace, later(now, -ttl))
        last = later(now, -self._ttl)
        return [_info(each, last) for each in found if service is None or service in each.services]

    async def allocate(self, service: str) -> WorkerInfo:
        """The online HTTP worker of the service with the least load. Raises NoWorker."""
        online = [each for each in await self.list(service) if each.is_online and each.url != NO_URL]
        if not online:
            raise NoWorker(f"no worker of service {show(service)} is online")
        return min(online, key=lambda each: (each.load, each.id))

    async def mark_offline(self) -> int:
        """Mark workers without a recent heartbeat as offline. Returns how many are still online."""
        return await self._store.mark_workers_offline(self._namespace, later(self._now(), -self._ttl))

    # --- the queue

    async def poll(self, worker: str, services: Sequence[str]) -> QueueItem | None:
        """Take the oldest waiting task of these services; None if there is none."""
        now = self._now()
        return await self._store.poll_queue(
            self._namespace,
            checked_name("worker_id", worker),
            _checked_services(services),
            now,
            self._lease_until(now),
        )

    async def complete(self, queue_id: str, *, result: Any = None, error: str = "") -> None:
        """End a task that was taken, with a result, or with `error` if that is not empty.

        Raises ItemLost if the worker no longer has the task; WrongType, CannotStore, PayloadTooLarge.
        """
        held = read_queue_id("queue_id", queue_id)
        outcome: Outcome
        if error:
            outcome = Failed(Failure(type="holdfast.errors:WorkerFailed", message=_checked_error(error)))
        else:
            outcome = Succeeded(self._encode(result, "the result"))
        answer = await self._store.complete_item(
            self._namespace, Completion(held.run, held.seq, held.lease, outcome), self._now()
        )
        if answer is not CompletionResult.DONE:
            raise ItemLost(queue_id, answer.value)

    async def renew(self, queue_id: str) -> None:
        """Renew the lease on a task that was taken. Raises ItemLost."""
        held = read_queue_id("queue_id", queue_id)
        until = self._lease_until(self._now())
        if not await self._store.renew_item(self._namespace, held.run, held.seq, held.lease, until):
            raise ItemLost(queue_id, f"{CompletionResult.LOST.value}, or {CompletionResult.GONE.value}")

    def _lease_until(self, now: Instant) -> Instant:
        return later(now, self._queue_lease)


class HeldItem(NamedTuple):
    """One lease on one task of the queue."""

    run: RunKey
    seq: int
    lease: int


def queue_id(item: QueueItem) -> str:
    return f"{key_text(item.run)}:{item.seq}:{item.lease}"


def read_queue_id(what: str, id: Any) -> HeldItem:
    """Read the id of a task that was taken; ids of attempts have the same form. Raises BadOption."""
    key, *numbers = id.rsplit(":", 2) if isinstance(id, str) else [""]
    run = key_from_text(key)
    if run is None or len(numbers) != 2 or not all(_is_number(each) for each in numbers):
        raise BadOption(what, id, "an id that the server has given, as in 0190…:3:1")
    return HeldItem(run, int(numbers[0]), int(numbers[1]))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= _LARGEST


def _check_number(option: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST:
        raise BadOption(option, value, f"a whole number from 0 to {_LARGEST:,}")


def _checked_url(url: Any) -> str:
    if url != NO_URL:
        is_address = isinstance(url, str) and url.lower().startswith(("http://", "https://"))
        if not is_address or len(url) > _LONGEST_URL or any(each.isspace() for each in url):
            raise BadOption("url", url, f"an address such as http://host:8080, or {NO_URL!r}")
        for start in range(0, len(url), 500):
            checked_name("url", url[start : start + 500])
    return str.__str__(url)


def _checked_services(services: Any) -> tuple[str, ...]:
    if isinstance(services, str) or not isinstance(services, Sequence):
        raise WrongType("services", f"expected a list of names, got {show(services)}")
    names = cast("Sequence[Any]", services)
    if not 1 <= len(names) <= _MOST_SERVICES:
        raise BadOption("services", names, f"1 to {_MOST_SERVICES:,} names")
    return tuple(dict.fromkeys(checked_name("services", each) for each in names))


def _checked_error(error: Any) -> str:
    """A worker's error message, cleaned for the store and cut to the limit."""
    if not isinstance(error, str):
        raise WrongType("error", f"expected text, got {show(error)}")
    shown = error.replace("\x00", "�").encode(errors="backslashreplace").decode()
    return shown if len(shown) <= _LONGEST_ERROR else shown[:_LONGEST_ERROR] + "…"


def _info(record: WorkerRecord, last: Instant) -> WorkerInfo:
    """A worker with no heartbeat since `last` is offline, even if it is not marked yet."""
    return WorkerInfo(
        record.id,
        record.url,
        list(record.services),
        record.type,
        record.load,
        moment(record.heartbeat_at),
        record.is_online and record.heartbeat_at >= last,
    )
