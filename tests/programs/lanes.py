"""The many ways in which asyncio runs things beside each other, made alike: all lanes end, then one looks.

Whoever is cancelled while its lanes run cancels each of them once (a second time would interrupt their
cleaning up) and waits until they are over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

Note: TypeAlias = Callable[..., None]
"""Is told of everything that may happen in another order next time."""
Future: TypeAlias = asyncio.Future[Any]


class Interruption:
    """Whether the current task was cancelled since this was made, whatever became of the CancelledError."""

    def __init__(self) -> None:
        self._task = _current()
        self._before = self._task.cancelling()

    def __bool__(self) -> bool:
        return self._task.cancelling() > self._before


def _current() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


async def finish(futures: Iterable[Future], *, cancel: bool = False) -> None:
    """Wait until all are over; `cancel` those first that are not being cancelled yet.

    One who is cancelled while it waits here cancels them all, and still waits.
    """
    pending = [future for future in futures if not future.done()]
    if cancel:
        for future in pending:
            if not (isinstance(future, asyncio.Task) and future.cancelling()):
                future.cancel()
    if pending:
        try:
            await asyncio.wait(pending)
        except asyncio.CancelledError:
            for future in pending:
                future.cancel()
            await asyncio.wait(pending)
            raise


class Lanes:
    """Lanes by number, and whoever is needed to run them. A lane that was not begun has no future."""

    def __init__(self, start: Callable[[int], Coroutine[Any, Any, Any]], count: int, note: Note) -> None:
        self.start = start
        self.numbers = range(count)
        self.note = note
        self.futures: list[Future | None] = [None] * count
        self.helpers: list[Future] = []

    def begin(self, number: int, guarded: Coroutine[Any, Any, Any] | None = None) -> asyncio.Task[Any]:
        task = asyncio.create_task(self.start(number) if guarded is None else guarded)
        self.futures[number] = task
        return task

    def begin_all(self, guard: Callable[[int], Coroutine[Any, Any, Any]] | None = None) -> list[Future]:
        return [self.begin(number, None if guard is None else guard(number)) for number in self.numbers]

    def help(self, coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(coroutine)
        self.helpers.append(task)
        return task

    def note_order(self, what: str, futures: Iterable[Future]) -> None:
        self.note(what, [self.futures.index(future) for future in futures])

    @property
    def begun(self) -> list[Future]:
        return [future for future in self.futures if future is not None]

    async def finish(self, *, cancel: bool) -> None:
        tasks = [future for future in self.begun if isinstance(future, asyncio.Task)]
        await finish([*tasks, *self.helpers], cancel=cancel)


async def run_lanes(how: str, lanes: Lanes) -> bool:
    """Run all lanes to their end. Whether the current task was cancelled meanwhile."""
    interruption = Interruption()
    with suppress(asyncio.CancelledError, Exception):  # what a lane raised, its future has
        await _WAYS[how](lanes)
    with suppress(asyncio.CancelledError):  # one lane has failed, others hang, and somebody cancels only now
        await lanes.finish(cancel=bool(interruption))
    return bool(interruption)


# --- waiting for tasks


async def _gather(lanes: Lanes) -> None:
    await asyncio.gather(*lanes.begin_all())


async def _gather_errors(lanes: Lanes) -> None:
    await asyncio.gather(*lanes.begin_all(), return_exceptions=True)


async def _wait(lanes: Lanes) -> None:
    done, _ = await asyncio.wait(lanes.begin_all())
    lanes.note_order("done", done)


async def _first_completed(lanes: Lanes) -> None:
    await _wait_in_turns(lanes, asyncio.FIRST_COMPLETED)


async def _first_exception(lanes: Lanes) -> None:
    await _wait_in_turns(lanes, asyncio.FIRST_EXCEPTION)


async def _wait_in_turns(lanes: Lanes, until: str) -> None:
    pending = set(lanes.begin_all())
    while pending:
        done, pending = await asyncio.wait(pending, return_when=until)
        lanes.note_order("done", done)
        lanes.note_order("pending", pending)


async def _as_completed(lanes: Lanes) -> None:
    async def run(number: int) -> int:
        lanes.helpers.append(_current())  # asyncio makes the task, and tells nobody
        await _keep_error(lanes.futures[number], lanes.start(number))
        return number

    for number in lanes.numbers:
        lanes.futures[number] = asyncio.get_running_loop().create_future()
    for arrival in asyncio.as_completed([run(number) for number in lanes.numbers]):
        lanes.note("arrived", await arrival)


async def _task_group(lanes: Lanes) -> None:
    async with asyncio.TaskGroup() as group:
        for number in lanes.numbers:
            lanes.futures[number] = asyncio.get_running_loop().create_future()
            group.create_task(_keep_error(lanes.futures[number], lanes.start(number)))


async def _keep_error(future: Any, coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run it, and keep what it raises: in a group, a failure would cancel the others wherever they are."""
    try:
        future.set_result(await coroutine)
    except asyncio.CancelledError:
        future.cancel()
        raise
    except Exception as error:
        future.set_exception(error)


async def _shield(lanes: Lanes) -> None:
    for future in lanes.begin_all():
        with suppress(Exception):
            await asyncio.shield(future)


async def _one_by_one(lanes: Lanes) -> None:
    interruption = Interruption()
    for future in lanes.begin_all():
        with suppress(Exception):
            await future
        if interruption:
            return  # the lane was cancelled, and failed in cleaning up


# --- waiting for each other


async def _relay(lanes: Lanes) -> None:
    over = [asyncio.Event() for _ in lanes.numbers]

    async def run(number: int) -> Any:
        if number:
            await over[number - 1].wait()
        try:
            return await lanes.start(number)
        finally:
            over[number].set()

    await finish(lanes.begin_all(run))


async def _lock(lanes: Lanes) -> None:
    await _under(asyncio.Lock(), lanes)


async def _semaphore(lanes: Lanes) -> None:
    await _under(asyncio.BoundedSemaphore(2), lanes)


async def _under(lock: Any, lanes: Lanes) -> None:
    async def run(number: int) -> Any:
        async with lock:
            lanes.note("holds the lock", number)
            return await lanes.start(number)

    await finish(lanes.begin_all(run))


async def _condition(lanes: Lanes) -> None:
    condition = asyncio.Condition()
    turn = 0

    async def run(number: int) -> Any:
        nonlocal turn
        async with condition:
            await condition.wait_for(lambda: turn == number)
        try:
            return await lanes.start(number)
        finally:
            async with condition:
                turn += 1
                condition.notify_all()

    await finish(lanes.begin_all(run))


async def _barrier(lanes: Lanes) -> None:
    barrier = asyncio.Barrier(len(lanes.numbers))

    async def run(number: int) -> Any:
        interruption = Interruption()
        failure = value = None
        try:
            value = await lanes.start(number)
        except Exception as error:
            if interruption:
                raise
            failure = error
        lanes.note("passes", number, await barrier.wait())
        if failure is not None:
            raise failure
        return value

    await finish(lanes.begin_all(run))


async def _queue(lanes: Lanes) -> None:
    queue: asyncio.Queue[int] = asyncio.Queue(maxsize=1)

    async def produce() -> None:
        for number in lanes.numbers:
            await queue.put(number)
        await queue.join()

    async def work(name: int) -> None:
        while True:
            number = await queue.get()
            lanes.note("takes", name, number)
            await finish([lanes.begin(number)])
            queue.task_done()

    workers = [lanes.help(work(name)) for name in range(2)]
    await lanes.help(produce())
    await finish(workers, cancel=True)


_WAYS: dict[str, Callable[[Lanes], Awaitable[None]]] = {
    "gather": _gather,
    "gather_errors": _gather_errors,
    "wait": _wait,
    "first_completed": _first_completed,
    "first_exception": _first_exception,
    "as_completed": _as_completed,
    "task_group": _task_group,
    "shield": _shield,
    "one_by_one": _one_by_one,
    "relay": _relay,
    "lock": _lock,
    "semaphore": _semaphore,
    "condition": _condition,
    "barrier": _barrier,
    "queue": _queue,
}


# --- bare handles


async def wait_for_handles(how: str, handles: Sequence[Future], note: Note) -> None:
    """Wait for tasks that were asked for, without a coroutine around each. Raises what some of them raise."""
    match how:
        case "gather":
            await asyncio.gather(*handles)
        case "gather_errors":
            await asyncio.gather(*handles, return_exceptions=True)
        case "wait":
            done, _ = await asyncio.wait(handles)
            note("done", [handles.index(each) for each in done])
        case "first_completed":
            pending = set(handles)
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                note(
                    "done", [handles.index(each) for each in done], [handles.index(each) for each in pending]
                )
        case "as_completed":
            for arrival in asyncio.as_completed(handles):
                with suppress(Exception):
                    note("arrived", await arrival)
        case _:
            async with asyncio.TaskGroup() as group:
                for handle in handles:
                    group.create_task(finish([handle]))


# --- races


class Finish(NamedTuple):
    winner: Future
    was_interrupted: bool


class _Enough(Exception):
    """The winner is through: the group that it is in may end."""


async def run_race(
    how: str, win: Callable[[], Coroutine[Any, Any, Any]], losers: Sequence[Future], note: Note
) -> Finish:
    """Run the winner to its end, cancel the losers, and wait until they have cleaned up."""
    interruption = Interruption()
    winner: Future = asyncio.get_running_loop().create_future()
    with suppress(asyncio.CancelledError, Exception):  # what anyone raised, its future has
        await _RACES[how](_keep_error(winner, win()), losers, note)
    await finish([*losers, winner], cancel=True)
    return Finish(winner, bool(interruption))


async def _race_by_wait(winner: Coroutine[Any, Any, None], losers: Sequence[Future], note: Note) -> None:
    runner = asyncio.create_task(winner)
    pending: set[Future] = {runner, *losers}
    try:
        while runner in pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            note("done", len(done))
    finally:
        await finish([runner], cancel=True)


async def _race_by_arrival(winner: Coroutine[Any, Any, None], losers: Sequence[Future], note: Note) -> None:
    runner = asyncio.create_task(winner)
    try:
        for arrival in asyncio.as_completed([runner, *losers]):
            await arrival
            if runner.done():
                break
    finally:
        await finish([runner], cancel=True)


async def _race_by_gather(winner: Coroutine[Any, Any, None], losers: Sequence[Future], note: Note) -> None:
    group = asyncio.gather(*losers, return_exceptions=True)
    try:
        await winner
    finally:
        group.cancel()
        with suppress(asyncio.CancelledError):
            await group


async def _race_in_body(winner: Coroutine[Any, Any, None], losers: Sequence[Future], note: Note) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for loser in losers:
                group.create_task(_follow(loser))
            await winner
            raise _Enough
    except* _Enough:
        note("enough")


async def _race_in_group(winner: Coroutine[Any, Any, None], losers: Sequence[Future], note: Note) -> None:
    async def run() -> None:
        await winner
        raise _Enough

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(run())
            for loser in losers:
                group.create_task(_follow(loser))
            await asyncio.Event().wait()
    except* _Enough:
        note("enough")


async def _follow(loser: Future) -> None:
    """Whoever cancels this cancels the loser."""
    await loser


_RACES: dict[str, Callable[[Coroutine[Any, Any, None], Sequence[Future], Note], Awaitable[None]]] = {
    "wait": _race_by_wait,
    "as_completed": _race_by_arrival,
    "gather": _race_by_gather,
    "group_body": _race_in_body,
    "group_child": _race_in_group,
}
