"""What a store has about the state of a run after a step: limited, and of one chapter."""

from __future__ import annotations

from tests.stores.builders import SPACE, Node, at, key, new_task, settled, step

from holdfast.core.past_states import StateEvidence
from holdfast.core.values import Payload
from holdfast.ports.commits import NewChapter, StateChange
from holdfast.stores import SqlStore


async def some_run(store: SqlStore) -> Node:
    """Run 1 with ten steps: step 0 of the builder, and nine of 6 bytes each."""
    node = Node(store)
    await node.start(1)
    await node.commit(
        1,
        held=node.held(1),
        steps=[step(1, 1 + each, b"step %d" % (1 + each)) for each in range(9)],
        state=[StateChange(key(1), "a", Payload(b"1"))],
    )
    return node


async def read(
    store: SqlStore, position: int, rows: int = 100, bytes: int = 10_000, *, with_history: bool = False
) -> StateEvidence:
    return await store.read_state_evidence(SPACE, key(1), position, rows, bytes, with_history=with_history)


def places(steps: object) -> list[int]:
    return [position for position, _ in steps]  # type: ignore[attr-defined]


async def test_the_steps_around_a_step_are_read_with_the_state_of_now(store: SqlStore) -> None:
    await some_run(store)

    found = await read(store, 4)

    assert (found.steps, found.chapter, found.began_with) == (10, (0, 10), None)
    assert found.ended_with == {"a": b"1"}
    assert list(found.before)[1:] == [(each, b"step %d" % each) for each in range(1, 5)]
    assert list(found.after) == [(each, b"step %d" % each) for each in range(5, 10)]
    assert found.history is None


async def test_no_more_steps_are_read_than_were_asked_for_and_the_nearest_come_first(store: SqlStore) -> None:
    await some_run(store)

    by_rows, at_the_end = await read(store, 4, rows=2), await read(store, 9, rows=3)

    assert (places(by_rows.before), places(by_rows.after)) == ([3, 4], [5, 6])
    assert (places(at_the_end.before), places(at_the_end.after)) == ([7, 8, 9], [])
    assert (await read(store, 77)).steps == 10


async def test_bytes_are_limited_too(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    large = [step(1, 1 + each, b"x" * 100) for each in range(1000)]
    await node.commit(1, held=node.held(1), steps=large)

    found = await read(store, 500, rows=10_000, bytes=100)

    assert 1 <= len(found.before) <= 200
    assert 1 <= len(found.after) <= 200
    assert (found.before[-1][0], found.after[0][0]) == (500, 501)


async def test_of_several_chapters_the_one_of_the_step_is_read(store: SqlStore) -> None:
    node = await some_run(store)
    for number, (first, state) in enumerate([(4, b'{"a":4}'), (7, None)], 1):
        chapter = NewChapter(key(1), number, first, 0, 0, 0, Payload(b"{}"), state, at(2))
        await node.commit(2, held=node.held(1), chapters=[chapter])

    first, second, third = [await read(store, position) for position in (3, 4, 9)]

    assert (first.chapter, first.began_with, first.ended_with) == ((0, 4), None, b'{"a":4}')
    assert (second.chapter, second.began_with, second.ended_with) == ((4, 7), b'{"a":4}', None)
    assert (third.chapter, third.began_with, third.ended_with) == ((7, 10), None, {"a": b"1"})
    assert (places(first.before), places(first.after)) == ([0, 1, 2, 3], [])
    assert (places(second.before), places(second.after)) == ([4], [5, 6])
    assert (places(third.before), places(third.after)) == ([7, 8, 9], [])
    assert (await read(store, 9, with_history=True)).history is None, "flows have one chapter"


async def test_a_history_that_is_too_large_is_left_out(store: SqlStore) -> None:
    node = await some_run(store)
    await node.commit(
        1, held=node.held(1), tasks=[new_task(1, 1)], settled=[settled(1, 1, b'"%b"' % (b"x" * 50_000))]
    )

    found = await read(store, 4, bytes=100_000, with_history=True)

    assert found.history is not None
    assert len(found.history.steps) == 10
    assert (await read(store, 4, rows=5, with_history=True)).history is None
    assert (await read(store, 4, bytes=100, with_history=True)).history is None
