"""Checks of promises that do not use the model, in case it makes the same mistake as the stores."""

from __future__ import annotations

from msgspec.structs import replace
from tests.differential.tables import AWAKE, Tables

from holdfast.core.values import Instant, NodeId, RunKey
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.schedules import ScheduleFiring
from holdfast.ports.workers import Completion, CompletionResult, QueueItem


def check_promises(before: Tables, after: Tables, commit: Commit, receipt: Receipt | None) -> None:
    if receipt is None:
        assert after == before, "a commit that was refused has left something"
        return
    created = {run.key for run in commit.created} & after.runs.keys() - before.runs.keys()
    held = {held.run for held in commit.held} - receipt.lost
    _check_fence(before, after, held | created)
    _check_runs(before, after, commit, held | created)
    for run in receipt.claimed:
        # A run with mail left is marked after it was claimed.
        marked_at = commit.now if run.run.key in receipt.left else None
        assert after.runs[run.run.key] == replace(run.run, wake_at=marked_at)


def _check_fence(before: Tables, after: Tables, ours: set[RunKey]) -> None:
    """Only the owner of a run writes what the run did, and only with the epoch of its claim."""
    for name in ("journal", "tasks", "shared_inputs", "attempts", "state", "queue", "chapters"):
        old, new = getattr(before, name), getattr(after, name)
        changed = {key[0] for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
        assert changed <= ours, f"{name} of runs were changed that are not the node's"
    assert after.logs.items() >= before.logs.items(), "what was said has changed or is gone"
    said_by = {after.logs[number].run for number in after.logs.keys() - before.logs.keys()}
    assert said_by <= ours, "runs have said something that are not the node's"
    published_by = {at[0] for at in before.items.keys() ^ after.items.keys()}
    assert published_by <= ours, "runs have published something that are not the node's"
    assert all(before.items.get(at, row) == row for at, row in after.items.items()), "an item has changed"
    for at, row in after.items.items():
        ends = [end for run, name, end in after.items if (run, name) == at[:2] and end < at[2]]
        last = max(ends, default=row.first)
        assert last <= row.first, "a stream has an item twice"
        # Of older items, those of long ago may be gone, also from the middle if a clock was wrong.
        is_new = (*at[:2], last) not in before.items
        assert last == row.first or not is_new, "a stream has a gap"
    for id, message in before.messages.items():
        assert after.messages[id] == message or message.run in ours, "somebody else's message was taken"


def _check_runs(before: Tables, after: Tables, commit: Commit, ours: set[RunKey]) -> None:
    for key, run in after.runs.items():
        old = before.runs.get(key)
        may_wake = not run.status.is_final  # a parked run for another try, a paused one for its deadline
        assert run.wake_at is None or may_wake, "a run that must not be taken has a time to wake"
        assert run.owner is None or run.status in AWAKE, "a run that cannot move has an owner"
        if old is None:
            continue
        assert not old.status.is_final or run == old, "a run that was over has changed"
        assert run.epoch - old.epoch in (0, 1)
        if run.owner not in (None, old.owner):
            assert run.epoch == old.epoch + 1, "a new owner has the epoch of the one before"
        if old.owner not in (None, run.owner):
            lease = before.nodes.get(NodeId(old.owner))
            is_over = lease is None or lease.until < commit.now
            assert key in ours or is_over, "a run was taken from a node that is alive"


def check_burial(before: Tables, after: Tables, dead: list[NodeId]) -> None:
    for key, run in after.runs.items():
        old = before.runs[key]
        if old.owner in dead:
            assert (run.owner, run.setbacks) == (None, old.setbacks + 1), "a run was buried with its node"
            assert run.wake_at is not None, "a run of a dead node does not wake"
            assert run.epoch == old.epoch, "the epoch is for who takes it"
        else:
            assert run == old, "a run of a node that lives was touched"


def check_firing(
    before: Tables, after: Tables, space: str, firing: ScheduleFiring, fired: bool | None
) -> None:
    at = (space, firing.schedule.name)
    known = before.schedules.get(at)
    assert fired == (known is not None and known.revision == firing.decided_on)
    if not fired:
        assert after == before, "a firing that came too late has left something"
        return
    assert after.schedules[at].revision == firing.schedule.revision
    assert {of: it for of, it in after.schedules.items() if of != at} == {
        of: it for of, it in before.schedules.items() if of != at
    }
    ids = [run.id for run in after.runs.values() if run.namespace == space and run.id is not None]
    assert len(ids) == len(set(ids)), "two runs have one id"
    for run in firing.runs:
        assert ids.count(run.id) == 1, "a tick has started no run"
    if firing.runs:
        active = after.run(space, after.schedules[at].active)
        assert active is not None, "a schedule waits for a run that there is not"
        assert active.id == firing.runs[-1].id, "a schedule waits for another run than its last"


def check_taking(before: Tables, after: Tables, taken: QueueItem | None, now: Instant) -> None:
    """A poll changes only the item that it takes and its task, and removes only items that are due."""
    assert after.journal == before.journal
    mine = None if taken is None else (taken.run, taken.seq)
    for at, item in after.queue.items():
        assert at in before.queue, "an item came from nowhere"
        assert item == before.queue[at] or at == mine, "somebody else's item was changed"
    for at in before.queue.keys() - after.queue.keys():
        assert before.queue[at].ready_at <= now, "an item is gone that was nobody's business yet"
    for at, task in after.tasks.items():
        assert task == before.tasks[at] or at == mine, "somebody else's task was changed"
    assert after.attempts.items() >= before.attempts.items(), "an attempt has changed"
    if taken is None:
        return
    old = before.queue[taken.run, taken.seq]
    assert old.ready_at <= now, "an item was taken from one who has it, or before its time"
    assert taken.lease == old.lease + 1, "a lease is as good as the one before it"
    assert not before.tasks[taken.run, taken.seq].status.is_final, "what is done was given out again"
    assert not before.runs[taken.run].status.is_final, "nobody waits for it"


def check_completion(
    before: Tables, after: Tables, completion: Completion, result: CompletionResult | None
) -> None:
    at = (completion.run, completion.seq)
    if result is not CompletionResult.DONE:
        assert after.messages == before.messages, "whoever has lost an item was heard"
        assert after.runs == before.runs
        return
    assert before.queue[at].lease == completion.lease
    assert before.queue[at].worker is not None
    assert at not in after.queue, "it can be completed again"
    (new,) = after.messages.keys() - before.messages.keys()
    assert (after.messages[new].run, after.messages[new].name) == (completion.run, str(completion.seq))
