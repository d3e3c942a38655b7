"""What to say of a run that a test waits for in vain: what it waits for, and how to send that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.core.records import RunRecord
from holdfast.core.values import RunKey, key_text
from holdfast.core.waiting import NO_WAIT, WaitDescription, WaitKind
from holdfast.engine.resident import LiveAttempt
from holdfast.errors import RunStuck

_BESIDE = "before the test awaits the result, or from another asyncio task"
_LONGER = "if something that holdfast cannot see takes longer, pass `patience=` to Environment"


def explain_stuck(
    run: RunRecord,
    open_runs: Sequence[RunRecord],
    waits: Mapping[RunKey, WaitDescription],
    running: Sequence[LiveAttempt],
    seconds: float,
) -> RunStuck:
    """`open_runs` has its children too, and theirs: the run may wait for one that waits for a message."""
    members = [run, *_descendants(run, open_runs)]
    said: list[str] = []
    advice: list[str] = []
    for each in members:
        tasks = [attempt.name for attempt in running if attempt.run == each.key]
        words = "; ".join(_of_task(name) for name in tasks) or _words(each, waits)
        said.append(words if each is run else f"run {_id(each)!r} waits for {words}")
        advice += _advice(_id(each), waits.get(each.key, NO_WAIT))
    return RunStuck(_id(run), "; ".join(said), seconds, "; ".join([*advice, _LONGER]))


def _descendants(run: RunRecord, open_runs: Sequence[RunRecord]) -> list[RunRecord]:
    children = [each for each in open_runs if each.parent == run.key]
    return [each for child in children for each in (child, *_descendants(child, open_runs))]


def _words(run: RunRecord, waits: Mapping[RunKey, WaitDescription]) -> str:
    if run.waiting is not None:
        return run.waiting
    if run.owner is None:
        return f"a node that has workflow {run.workflow!r}"
    return waits.get(run.key, NO_WAIT).words or "something unknown"


def _of_task(name: str) -> str:
    return f"task {name!r}, which waits for something that nobody in this process sets"


def _advice(id: str, wait: WaitDescription) -> list[str]:
    match wait.kind:
        case WaitKind.SIGNAL:
            return [f"send it {_BESIDE}: `await env.signal({id!r}, {wait.name!r}, value)`"]
        case WaitKind.PROMISE:
            return [f"resolve it {_BESIDE}: `await env.resolve({id!r}, {wait.name!r}, value)`"]
        case WaitKind.APPROVAL:
            return [f"approve it {_BESIDE}: `await env.approve({id!r}, {wait.name!r})`"]
        case WaitKind.SERVICE:
            return [f"run a worker of service {wait.name!r} beside the test"]
        case _:
            return []


def _id(run: RunRecord) -> str:
    return run.id or key_text(run.key)
