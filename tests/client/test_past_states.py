"""The durable state of a run as it was after a step of its journal."""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from tests.flows.drawing import Manner, awaited_keys, draw_flow, draw_params
from tests.flows.engine import FlowRun, register
from tests.flows.signals import DrawnSignals
from tests.patience import PATIENCE

from holdfast import Catalog, RunFailed, WrongType, context, task, workflow
from holdfast.client import run_reading
from holdfast.client.run import Run
from holdfast.core.codec import decode_any
from holdfast.core.past_states import NotKept, PastState, StateEvidence
from holdfast.core.values import Payload, RunKey, Succeeded
from holdfast.errors import BadOption, RunNotFound
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.flows import CURSOR
from holdfast.testing import Environment

HOUR = dt.timedelta(hours=1)
VALUES: list[Any] = [
    None, 0, 1, 1.0, True, "ä", {"b": 1, "a": [2, {}]}, {1: 12, 2: 3}, {1: 3, 2: 12}, ValueError("x"), {3, 1}
]  # fmt: skip
"""Some have digests that say little: numbers as keys, sets, exceptions."""
KEYS = ("a", "b", "c")

catalog = Catalog()
has_failed: set[str] = set()


@task(catalog=catalog)
async def shaky(id: str) -> None:
    if id not in has_failed:
        has_failed.add(id)
        raise ValueError(id)


@workflow(catalog=catalog)
async def played(chapters: list[list[list[Any]]]) -> None:
    """What it does in each chapter: `set`, `delete`, `clear`, `wait` or `fail`."""
    ctx = context()
    for number, (what, *args) in enumerate(chapters[0]):
        match what:
            case "set":
                ctx.state.set(args[0], VALUES[args[1]])
            case "delete":
                ctx.state.delete(args[0])
            case "clear":
                ctx.state.clear()
            case "wait":
                await asyncio.sleep(1)
            case _:
                try:
                    await shaky(f"{ctx.run_id} {len(chapters)} {number}")
                except Exception:
                    ctx.state.set(args[0], "it has failed")
                    ctx.state.delete(args[1])
                    await asyncio.sleep(1)
                    raise
    if chapters[1:]:
        ctx.continue_as(chapters[1:])


def drawn_acts(dice: Random, most: int = 12) -> Iterator[list[Any]]:
    for _ in range(dice.randint(1, most)):
        what = dice.choice(["set", "set", "set", "wait", "wait", "wait", "delete", "clear", "fail"])
        match what:
            case "set":
                yield ["set", dice.choice(KEYS), dice.randrange(len(VALUES))]
            case "delete":
                yield ["delete", dice.choice(KEYS)]
            case "fail":
                yield ["fail", dice.choice(KEYS), dice.choice(KEYS)]
            case _:
                yield [what]


class Seen(dict[RunKey, dict[int, dict[str, Payload]]]):
    """The states that runs had after each of their steps, as the store had them right after the commit."""

    def of(self, key: RunKey, steps: int) -> list[dict[str, Payload]]:
        states: list[dict[str, Payload]] = []
        for position in range(steps):
            # The store itself writes steps that move timers. They change no state.
            states.append(self[key].get(position, states[-1] if states else {}))
        return states


class WatchedStore:
    def __init__(self, store: Any, seen: Seen) -> None:
        self._store = store
        self._seen = seen

    async def commit(self, commit: Commit) -> Receipt:
        receipt = await self._store.commit(commit)
        await self._look("default", {step.run for step in commit.steps})
        return receipt

    async def reopen_runs(self, namespace: str, family: Sequence[Any]) -> bool:
        is_done = await self._store.reopen_runs(namespace, family)
        await self._look(namespace, {each.run for each in family})
        return is_done

    async def _look(self, namespace: str, runs: set[RunKey]) -> None:
        for run in runs:
            for history in await self._store.load_histories(namespace, [run]):
                state = await self._store.read_state(namespace, run)
                state.pop(CURSOR, None)
                self._seen.setdefault(run, {})[history.next_position - 1] = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def watch(env: Environment) -> Seen:
    seen = Seen()
    env.crash_points._store = WatchedStore(env.crash_points._store, seen)  # type: ignore[assignment]
    return seen


async def steps_of(env: Environment, run: Run[Any]) -> int:
    return (await env.history(run)).next_position


def said(payloads: dict[str, Payload]) -> dict[str, str]:
    """1, 1.0 and True are not the same."""
    return {key: repr(decode_any(payload)) for key, payload in payloads.items()}


def check(found: PastState, states: list[dict[str, Payload]]) -> None:
    """Nothing that is shown may be wrong, and what nothing has changed since must be shown."""
    then, before = states[found.step], states[found.step - 1] if found.step else {}
    shown = {key: repr(value) for key, value in found.values.items()}
    missing = {each.key for each in found.not_kept}

    assert found.is_all
    assert shown == {key: value for key, value in said(then).items() if key not in missing}
    assert missing <= then.keys()
    assert not missing & shown.keys()
    assert set(found.removed) == before.keys() - then.keys()
    assert set(found.changed) <= then.keys()
    assert set(found.changed) >= {key for key in then if then[key] != before.get(key)}
    for each in found.not_kept:
        assert each.set_at is not None
        assert each.changed_at is not None
        assert each.set_at <= found.step < each.changed_at


def has_retry(states: list[dict[str, Payload]]) -> bool:
    return any(before and not after for before, after in itertools.pairwise(states))


# --- code


async def play_to_the_end(env: Environment, run: Run[Any]) -> None:
    while True:
        try:
            return await run.result()
        except RunFailed:
            await run.retry()


@pytest.mark.parametrize("batch", range(2))
async def test_the_state_of_code_is_as_it_was_or_said_to_be_not_kept(store_url: str, batch: int):
    kept = unknown = 0
    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog) as env:
        seen = watch(env)
        has_failed.clear()
        for seed in range(batch * 25, batch * 25 + 25):
            dice = Random(seed)
            chapters = [list(drawn_acts(dice)) for _ in range(dice.choice([1, 1, 2, 3]))]
            run = await env.start(played, chapters, id=f"r-{seed}")
            await play_to_the_end(env, run)

            steps = await steps_of(env, run)
            states = seen.of(run.key, steps)
            for step in range(steps):
                found = await env.state_at(run, step)
                check(found, states)
                kept, unknown = kept + len(found.values), unknown + len(found.not_kept)
                for key in {each.key for each in found.not_kept} if not has_retry(states) else ():
                    assert any(state.get(key) != states[step][key] for state in states[step:])
            assert not (await env.state_at(run, steps - 1)).not_kept

    assert kept > unknown > 50


async def test_a_value_that_was_changed_later_is_not_kept_unless_it_came_back(store_url: str):
    acts = [
        ["set", "a", 1],
        ["set", "b", 1],
        ["wait"],
        ["set", "a", 2],
        ["set", "b", 2],
        ["wait"],
        ["set", "b", 1],
    ]
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(played, [acts])
        await run.result()

        assert await env.state_at(run, 0) == PastState(
            0, {"b": 0}, [NotKept("a", 0, 1)], ["a", "b"], [], True
        )
        assert await env.state_at(run, 1) == PastState(
            1, {"a": 1}, [NotKept("b", 1, 2)], ["a", "b"], [], True
        )
        assert await env.state_at(run, 2) == PastState(2, {"a": 1, "b": 0}, [], ["b"], [], True)
        assert await env.state(run) == {"a": 1, "b": 0}


async def test_steps_that_a_retry_has_struck_out_are_shown_as_they_were(store_url: str):
    has_failed.clear()
    acts = [["set", "a", 1], ["set", "b", 1], ["fail", "b", "a"], ["set", "b", 2]]
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(played, [acts])
        await play_to_the_end(env, run)

        shown = [await env.state_at(run, step) for step in range(await steps_of(env, run))]

        states = [(each.values, [it.key for it in each.not_kept]) for each in shown]
        assert states[0] == ({"a": 0}, ["b"])
        assert states[1] == ({}, ["b"]), "what it did when the task had failed"
        assert shown[1].removed == ["a"]
        [cleared] = [each for each in shown if each.removed == ["b"]]
        assert (cleared.values, cleared.not_kept) == ({}, []), "the retry has cleared the state"
        assert states[-1] == ({"a": 0, "b": 1}, [])


async def test_a_key_that_was_set_before_the_steps_that_are_read_may_have_been_there(store_url: str):
    acts = [
        ["set", "a", 1],
        ["wait"],
        ["set", "b", 1],
        ["wait"],
        ["wait"],
        ["wait"],
        ["set", "a", 2],
        ["wait"],
    ]
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(played, [acts])
        await run.result()

        with patch.object(run_reading, "MOST_STEPS", 2):
            found = await env.state_at(run, 3)
            assert (found.values, found.is_all) == ({"b": 0}, True), "all steps behind it are read"
            assert found.not_kept == [NotKept("a", None, 4)]
            found = await env.state_at(run, 1)
            assert (found.values, found.is_all) == ({"b": 0}, True), "all steps before it are read"
            assert found.not_kept == [NotKept("a", 0, None)]
        with patch.object(run_reading, "MOST_STEPS", 1):
            found = await env.state_at(run, 2)
            assert (found.values, found.is_all) == ({}, False)
            assert found.not_kept == [NotKept("a", None, None), NotKept("b", None, None)]


async def test_a_step_that_is_not_there_is_refused(store_url: str):
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(played, [[["wait"]]])
        await run.result()

        with pytest.raises(BadOption, match="step is 2, but must be a step of the run's journal: 0 to 1"):
            await env.state_at(run, 2)
        for bad in (-1, 2**31, "1"):
            with pytest.raises(BadOption, match="step is"):
                await env.state_at(run, bad)  # type: ignore[arg-type]
        await env.delete(run)
        with pytest.raises(RunNotFound):
            await env.state_at(run, 0)


async def test_a_sealed_state_is_shown_to_those_who_have_the_key(
    store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOLDFAST_ENCRYPTION_KEY_k1", base64.b64encode(bytes(32)).decode())
    chapters = [[["set", "a", 6], ["set", "b", 5], ["wait"]], [["wait"], ["set", "a", 5], ["wait"]]]
    key = {"encryption_keys": ["k1"], "compress_bytes": 1}
    async with Environment(store_url, catalog=catalog, **key) as env:
        run = await env.start(played, chapters, id="r-1")
        await run.result()

        assert (await env.state_at(run, 0)).values == {"a": VALUES[6], "b": "ä"}
        assert (await env.state_at(run, 3)).values == {"a": "ä", "b": "ä"}

    async with Environment(store_url, catalog=catalog) as env:
        for step in (0, 3):
            with pytest.raises(WrongType, match="is encrypted with the key 'k1', which is not known here"):
                await env.state_at("r-1", step)


# --- flows


async def play_flow(env: Environment, made: FlowRun) -> Run[Any]:
    run = await env.start(made.workflow, id=made.id, **made.params)
    for turn in range(300):
        await env.wait_until_quiet()
        status = str(await run.status())
        if status == "success" or (status == "failed" and made.retried):
            return run
        if status == "failed":
            made.retried += 1
            await env.retry(run)
        elif not await made.tell(env):
            if turn % 3 == 0:
                await env.pause(run)
                await env.skip(HOUR)
                await env.resume(run)
            await env.skip(HOUR)
    raise AssertionError("it does not end")


MANNER = Manner(exec_types=("local_func",), is_bounded=True, is_patient=True)


async def test_the_state_of_a_flow_is_replayed(store_url: str):
    flows = Catalog()
    made = [
        FlowRun(
            f"r-{seed}",
            flow := draw_flow(Random(f"{seed} flow"), MANNER),
            draw_params(Random(f"{seed} params")),
            DrawnSignals(str(seed), awaited_keys(flow), is_cancelled=False),
        )
        for seed in range(40)
    ]
    register(flows, made)
    kept = unknown = replayed = 0
    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=flows) as env:
        seen = watch(env)
        for each in made:
            run = await play_flow(env, each)
            steps = await steps_of(env, run)
            states = seen.of(run.key, steps)
            for step in range(steps):
                found = await env.state_at(run, step)
                check(found, states)
                if not each.retried:
                    assert found.not_kept == []
                with without_replay():
                    alone = await env.state_at(run, step)
                check(alone, states)
                replayed += len(found.values) > len(alone.values)
                kept, unknown = kept + len(found.values), unknown + len(found.not_kept)

    assert replayed > 10
    assert kept > unknown


@contextmanager
def without_replay() -> Iterator[None]:
    with patch("holdfast.authoring.kinds.Kinds.replay_state", lambda *_: None):
        yield


FLOW = """\
name: counted
start: first
nodes:
  first: {kind: executor, exec_type: local_func, func: number, post: {output_key: n, action_static: ok}}
  second: {kind: executor, exec_type: local_func, func: number, post: {output_key: n}}
edges: [{from: first, action: ok, to: second}]
"""


async def test_a_replay_that_does_not_end_with_what_is_stored_is_not_believed(store_url: str):
    flows = Catalog()
    numbers = [1, 2]

    @task(catalog=flows)
    async def number(input: Any, params: Any) -> int:
        return numbers.pop(0)

    async with Environment(store_url, catalog=flows) as env:
        await env.workflows.put(FLOW)
        run = await env.start("counted")
        await run.result()
        assert (await env.state_at(run, 1)).values == {"n": 1}

        read = env.crash_points._store.read_state_evidence

        async def forging(*args: Any, **options: Any) -> StateEvidence:
            evidence: StateEvidence = await read(*args, **options)
            assert evidence.history is not None
            outcomes = {seq: Succeeded(Payload(b"7")) for seq in evidence.history.outcomes}
            return evidence._replace(history=msgspec.structs.replace(evidence.history, outcomes=outcomes))

        with patch.object(env.crash_points._store, "read_state_evidence", forging):
            found = await env.state_at(run, 1)
        assert (found.values, found.not_kept) == ({}, [NotKept("n", 1, 2)])
