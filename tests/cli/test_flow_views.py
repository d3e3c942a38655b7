"""What views make of the visits of a flow's nodes, without a run."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.builders import DATABASE, after, info, task
from tests.cli.processes import SECONDS

from holdfast import Catalog, Holdfast
from holdfast.authoring.flow.loader import load_flow_text
from holdfast.authoring.flow.outline import outline_flow
from holdfast.authoring.flow.workflow import load_flow
from holdfast.cli.views.live import LogTails, ViewSize, draw
from holdfast.cli.views.plain import PlainView
from holdfast.cli.views.progress import RunProgress, RunSnapshot, TaskLine
from holdfast.cli.views.wording import inner_wait_text, outside_wait, worker_wait_text
from holdfast.cli.watching.watcher import RunWatcher
from holdfast.client.run import Cursor
from holdfast.client.workers import queue_id

FLOW = """
start: work
nodes:
  work: {kind: executor, service: pack, max_retries: 2}
  each: {kind: foreach, service: pack, prep: {input_key: items}}
  queued: {kind: executor, exec_type: queue, service: pack}
  nap: {kind: timer, params: {delay_ms: 1500}}
  call: {kind: subflow, workflow: billing}
  ask: {kind: approval, params: {approval_key: $shared.boss.answer}}
  inner:
    kind: subflow
    params: {signal_key: outer}
    subflow: {start: wait, nodes: {wait: {kind: wait_event, params: {signal_key: own}}}}
edges:
  - {from: work, action: again, to: work}
  - {from: work, to: each}
  - {from: each, to: queued}
  - {from: queued, to: nap}
  - {from: nap, to: call}
  - {from: call, to: ask}
  - {from: ask, to: inner}
"""


def new_progress(input: Any = None) -> RunProgress:
    return RunProgress(outline_flow(load_flow_text(FLOW), input))


def line_of(progress: RunProgress, name: str) -> TaskLine:
    progress.apply([task(0, name, "running")])
    return progress.lines[name]


def test_a_node_stands_as_its_latest_visit_does():
    progress = new_progress()

    progress.apply(
        [task(0, "work", "failed", problem="no luck"), task(1, "work", "success", started_at=after(7))]
    )
    mended = (
        progress.lines["work"].state,
        list(progress.lines["work"].failed),
        progress.lines["work"].started_at,
    )
    progress.apply([task(2, "work", "pending")])
    waiting = progress.lines["work"].state
    progress.apply([task(2, "work", "pending", attempt=2, retry_at=after(3))])
    retrying = progress.lines["work"].state
    progress.apply([task(2, "work", "failed", problem="again no luck")])

    assert mended == ("success", [], after(7))
    assert (waiting, retrying) == ("queued", "retrying")
    assert progress.lines["work"].state == "failed"
    assert [each.problem for each in progress.lines["work"].failed] == ["again no luck"]
    assert (progress.lines["work"].asked_for, progress.lines["work"].outline.max_attempts) == (3, 3)


def test_the_items_of_a_foreach_are_under_way_until_their_node_has_ended():
    progress = new_progress()

    progress.apply([task(0, "each", "running"), task(1, "each/item", "success")])
    between = progress.lines["each/item"].state
    progress.apply([task(2, "each/item", "failed", problem="x")])
    progress.apply([task(0, "each", "failed", problem="1 of 2 failed")])
    failed = progress.lines["each/item"].state
    progress.apply([task(3, "each", "success"), task(4, "each/item", "success")])

    assert between == "running"
    assert failed == "failed"
    assert progress.lines["each/item"].state == "success", "the visit after it went well"


@pytest.mark.parametrize(
    ("input", "name", "command"),
    [
        (None, "ask", "holdfast approve order-42 ask"),
        ({"signal_key": "$shared.theirs.x"}, "inner/wait", "holdfast signal order-42 theirs true"),
        (None, "inner/wait", "holdfast signal order-42 outer true"),
        ({"signal_key": "$params.x"}, "inner/wait", None),
        (None, "work", None),
    ],
)
def test_the_command_that_answers_a_node_goes_by_the_params_that_it_sees(
    input: Any, name: str, command: str | None
):
    asked = outside_wait(line_of(new_progress(input), name), "order-42", DATABASE)

    assert (None if asked is None else asked.command) == command


def test_what_no_process_runs_for_is_told():
    queued = new_progress()
    queued.apply([task(0, "queued", "pending")])

    assert inner_wait_text(line_of(new_progress(), "nap")) == "sleeps for 1.5s"
    assert inner_wait_text(line_of(new_progress(), "call")) == "workflow 'billing'"
    assert inner_wait_text(line_of(new_progress(), "work")) is None
    assert worker_wait_text(queued.lines["queued"]) == "waits for a worker of service 'pack'"


def test_a_loop_is_one_line_in_the_live_view_with_the_number_of_its_visits():
    progress = new_progress()
    progress.apply([task(seq, "work", "success") for seq in range(3000)])
    progress.apply([task(3000, "work", "failed", problem="no luck"), task(3001, "each/item", "running")])
    snapshot = RunSnapshot(info(), progress, cursor=Cursor("each", "again", 3002))

    lines = [
        text.plain for text in draw(snapshot, LogTails(), DATABASE, ViewSize(100, 24, after(3), unicode=True))
    ]

    assert lines[1].split("s  ")[-1] == "visit 3,001: no luck"
    assert lines[2].endswith("0 done  1 running")
    assert lines[3:] == ["    step 3,002 at each, after 'again'"]


def test_in_plain_lines_a_loop_is_counted_once_it_has_gone_round_often():
    told: list[str] = []
    view, progress = PlainView(told.append, DATABASE, None), new_progress()

    for number in range(30):
        visits = [task(seq, "work", "success") for seq in range(number * 100, number * 100 + 100)]
        view.show(RunSnapshot(info(), progress, progress.apply(visits)))
    progress.close()
    view.finish(RunSnapshot(info("success"), progress))

    assert len(told) == 103, "100 visits, the beginning, the count, and that the others are only counted"
    assert told[-1].endswith(" work visited 3,000 times")


async def test_an_attempt_that_a_worker_has_made_well_is_no_setback(tmp_path: Path):
    node = {"kind": "executor", "exec_type": "queue", "service": "pack", "max_retries": 1, "wait_ms": 10}
    flow = {"start": "a", "nodes": {"a": node}}
    (tmp_path / "flow.json").write_text(json.dumps(flow))
    catalog = Catalog()
    workflow = load_flow(tmp_path / "flow.json", catalog=catalog)
    seen: list[RunSnapshot] = []
    async with Holdfast(f"sqlite:///{tmp_path}/holdfast.db", catalog=catalog) as client:
        run = await client.start(workflow)
        progress = RunProgress(workflow.outline({}))
        watcher = RunWatcher(client, run, progress, await client.describe(run))
        watching = asyncio.create_task(watcher.watch(Seeing(seen)))

        await do_next(client, error="out of paper")
        await do_next(client, result=7)
        await asyncio.wait_for(watching, SECONDS)
        attempts = await client.attempts(run)

    told = [each.attempt for snapshot in [*seen, watcher.snapshot] for each in snapshot.unsuccessful]
    assert [(each.status, each.attempt, each.worker) for each in told] == [("failed", 1, "w7")]
    assert [(each.status, each.attempt) for each in attempts] == [("failed", 1), ("success", 2)]
    assert watcher.snapshot.cursor == Cursor("", "", 1)


class Seeing:
    def __init__(self, seen: list[RunSnapshot]) -> None:
        self._seen = seen

    def show(self, snapshot: RunSnapshot) -> None:
        self._seen.append(snapshot)

    def hide(self) -> None: ...

    def reveal(self) -> None: ...

    def finish(self, snapshot: RunSnapshot) -> None: ...


async def do_next(client: Holdfast, **outcome: Any) -> None:
    for _ in range(400):
        item = await client.workers.poll("w7", ["pack"])
        if item is not None:
            await client.workers.complete(queue_id(item), **outcome)
            return
        await asyncio.sleep(0.05)
    raise AssertionError("nothing was in the queue")
