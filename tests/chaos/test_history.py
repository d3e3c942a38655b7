"""The checker of chaos runs: a history that can be is accepted, and one that cannot be is not.

Each impossible history is the possible one with a single lie planted in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from tests.chaos import history
from tests.chaos.history import Verdict, judge
from tests.chaos.notebook import (
    Answered,
    Began,
    Died,
    Entry,
    Finished,
    Hurt,
    InDoubt,
    Invoked,
    Left,
    Marked,
    MarkedAttempt,
    Over,
    Recorded,
    RunAtEnd,
    Settled,
    Shown,
    ShownAttempt,
    Stranded,
    Ticked,
    TurnedDown,
)
from tests.chaos.operations import FREEZE, Evidence, gather
from tests.chaos.workloads import CLOSE

_KEYS = {
    "line": "01" * 16,
    "box": "02" * 16,
    "vote": "03" * 16,
    "gone": "04" * 16,
    "shop": "05" * 16,
    "never": "06" * 16,
    "dag": "07" * 16,
    "ticker@2026-01-01T00:00:02Z": "08" * 16,
    "ticker@2026-01-01T00:00:04Z": "0a" * 16,
}
_NODE = 700
"""The process of a node that is killed."""
_TICKS = 1767225602
"""2026-01-01T00:00:02Z, in seconds since 1970."""


class Story:
    """Writes a history down, one moment after the other."""

    def __init__(self) -> None:
        self.now = 0.0
        self.entries: list[Entry] = []
        self._count = 0

    def at(self) -> float:
        self.now += 1
        return self.now

    def ask(
        self,
        action: str,
        run: str,
        value: Any = None,
        *,
        fate: str = "ok",
        answer: Any = None,
        client: str = "a",
    ) -> None:
        self._count += 1
        name = {"client": client, "number": self._count}
        self.entries.append(Invoked(at=self.at(), action=action, run=run, value=value, **name))
        if fate == "ok":
            self.entries.append(Answered(at=self.at(), value=answer, **name))
        elif fate == "silence":
            pass  # the client was killed
        elif fate.startswith("?"):
            self.entries.append(InDoubt(at=self.at(), error=fate[1:], **name))
        else:
            self.entries.append(TurnedDown(at=self.at(), error=fate, **name))

    def wait_in_vain(self, run: str, seconds: float) -> None:
        self._count += 1
        name = {"client": "a.1", "number": self._count}
        self.entries.append(Invoked(at=self.at(), action="result", run=run, **name))
        self.now += seconds
        self.entries.append(InDoubt(at=self.now, error="TimeoutError: ", **name))

    def start(self, run: str, workflow: str, *arguments: Any, **options: Any) -> None:
        value = {"workflow": workflow, "arguments": list(arguments)}
        self.ask("start", run, value, **{"answer": _KEYS.get(run), **options})

    def begin(
        self,
        run: str,
        seq: int,
        label: str,
        after: list[str] | None = None,
        process: int = 1,
        **more: Any,
    ) -> None:
        facts = {"attempt": 1, "run": run, "task": _task(run, seq), "label": label, "after": after or []}
        self.entries.append(Began(at=self.at(), process=process, **{**facts, **more}))

    def show(self, run: str, seq: int, *, node: int) -> None:
        """The database has the first attempt as begun."""
        self.entries.append(Shown(at=self.at(), attempts=[ShownAttempt(_task(run, seq), 1, node)]))

    def finish(self, run: str, seq: int, process: int) -> None:
        self.entries.append(Finished(at=self.at(), process=process, task=_task(run, seq)))

    def tick(self, second: int) -> None:
        run = f"ticker@2026-01-01T00:00:0{second}Z"
        self.begin(run, 0, "tick", process=90 + second, node=_NODE)
        self.finish(run, 0, process=90 + second)
        input = {"who": "ticker", "tick": f"2026-01-01T00:00:0{second}+00:00"}
        self.end(run, "ticked", input, "success", {"tick": "ticker:tick"})

    def end(self, run: str, workflow: str, input: Any, status: str, output: Any = None) -> None:
        self.entries.append(
            RunAtEnd(
                at=self.at(),
                run=run,
                key=_KEYS[run],
                workflow=workflow,
                status=status,
                input=input,
                output=output,
                failure="builtins:ValueError" if status == "failed" else "",
            )
        )


def _task(run: str, seq: int) -> str:
    return f"{_KEYS[run]}:{seq}"


def a_good_day() -> Story:
    """A little of everything, and all of it right."""
    story = Story()
    story.start("line", "sequence", "a", 2, 0.5)
    story.start("line", "sequence", "b", 2, 0.5, client="b")
    story.start("line", "sequence", "c", 2, 0.5, client="c", fate="silence")
    story.begin("line", 0, "0")
    story.begin("line", 1, "1", ["0"])
    story.entries.append(Recorded(at=story.at(), tasks=[_task("line", 0), _task("line", 1)]))
    story.ask("result", "line", answer=["success", ["a:0", "a:1"]], client="b")
    story.entries.append(Over(at=story.at(), runs=["line"]))
    story.wait_in_vain("line", 5)
    story.start("box", "mailbox", "shared")
    story.ask("signal", "box", "a/1")
    story.ask("signal", "box", "b/1", client="b")
    story.ask("signal", "box", "c/1", client="c", fate="?StoreUnavailable: gone")
    story.ask("signal", "box", "a/2")
    story.ask("signal", "box", CLOSE)
    story.ask("signal", "box", "b/2", client="b")  # behind the last one that is read
    story.start("vote", "ballot", "shared")
    story.begin("vote", 0, "open")
    story.ask("resolve", "vote", "a/3", fate="?StoreUnavailable: gone")
    story.ask("resolve", "vote", "b/3", client="b", fate="PromiseSettled: too late")
    story.begin("vote", 1, "count", ["open"])
    story.start("gone", "endless", "a", 0)
    story.begin("gone", 0, "first")
    story.ask("cancel", "gone")
    story.begin("gone", 1, "cleanup", ["first"])
    story.ask("result", "gone", answer=["cancelled"])
    story.start("never", "sequence", "a", 1, 0.0, fate="StoreFull: no room")
    story.start("shop", "mended", "a", "flag")
    for seq, label in enumerate(["before", "shaky", "beside"]):
        story.begin("shop", seq, label, ["before"] if seq else [])
    story.ask("result", "shop", answer=["failed", "builtins:ValueError"])
    story.ask("retry", "shop")
    story.begin("shop", 1, "shaky", ["before"])
    story.begin("shop", 3, "after", ["before", "shaky", "beside"])
    story.ask("result", "shop", answer=["success", ["a:before", "a:shaky", "a:beside", "a:after"]])
    story.end("line", "sequence", {"who": "a", "steps": 2, "seconds": 0.5}, "success", ["a:0", "a:1"])
    story.end("box", "mailbox", {"who": "shared"}, "success", ["a/1", "b/1", "a/2", "c/1"])
    story.end("vote", "ballot", {"who": "shared"}, "success", ["shared:open", "a/3", "a/3"])
    story.end("gone", "endless", {"who": "a", "children": 0}, "cancelled")
    shop = ["a:before", "a:shaky", "a:beside", "a:after"]
    story.end("shop", "mended", {"who": "a", "flag": "flag"}, "success", shop)
    _run_processes(story)
    story.entries.append(Settled(at=story.at(), seconds=1))
    return story


def _run_processes(story: Story) -> None:
    """A DAG whose node is killed while it runs a command, and a schedule."""
    story.start("dag", "mishap", "a")
    story.begin("dag", 0, "broken", process=71, node=_NODE)
    story.show("dag", 0, node=_NODE)
    story.entries.append(Hurt(at=story.at(), fault="kill -9 of a node", whom="n", process=_NODE, until=0))
    story.begin("dag", 0, "broken", process=72, node=_NODE + 1, attempt=2)
    story.finish("dag", 0, process=72)
    story.begin("dag", 2, "alarm", process=73, node=_NODE + 1)
    story.finish("dag", 2, process=73)
    attempts = [MarkedAttempt(_task("dag", 0), 1, "lost"), MarkedAttempt(_task("dag", 0), 2, "failed")]
    story.entries.append(Marked(attempts=attempts))
    story.end("dag", "mishap", {"who": "a"}, "failed")
    story.tick(2)
    story.tick(4)
    story.entries.append(
        Ticked(schedule="ticker", every=2, began_at=_TICKS - 0.5, next_at=_TICKS + 4, skipped=0)
    )


def _change(story: Story, run: str, **changes: Any) -> None:
    """Have the database say something else of a run."""
    for at, entry in enumerate(story.entries):
        if isinstance(entry, RunAtEnd) and entry.run == run:
            facts = {name: getattr(entry, name) for name in RunAtEnd.__struct_fields__}
            story.entries[at] = RunAtEnd(**{**facts, **changes})


def _without(story: Story, is_it: Callable[[Any], bool]) -> None:
    story.entries.remove(next(each for each in story.entries if is_it(each)))


def test_a_history_that_can_be_is_accepted() -> None:
    verdicts = judge(gather(a_good_day().entries))

    assert [verdict for verdict in verdicts if verdict.broken] == []
    assert [verdict.promise for verdict in verdicts if not verdict.looked_at] == []


# fmt: off
LIES: list[tuple[str, Callable[[Story], object], Callable[[Evidence], Verdict]]] = [
    ("a start is lost", lambda story: story.start("lost", "sequence", "a", 1, 0.0, answer="09"),
     history.acknowledged_starts_are_there),
    ("one id, two runs", lambda story: story.start("line", "sequence", "a", 2, 0.5, answer="09"),
     history.acknowledged_starts_are_there),
    ("a refused start is there", lambda story: story.end(
        "never", "sequence", {"who": "a", "steps": 1, "seconds": 0.0}, "success", ["a:0"]),
     history.refused_starts_left_nothing),
    ("arguments nobody gave", lambda story: _change(
        story, "line", input={"who": "a", "steps": 2, "seconds": 9}),
     history.runs_were_asked_for),
    ("a run vanishes for a moment", lambda story: story.ask("status", "line", fate="RunNotFound: no run"),
     history.what_was_started_can_be_found),
    ("a run goes on for ever", lambda story: _change(story, "vote", status="running", output=None),
     history.every_run_ended),
    ("a wrong result", lambda story: (_change(story, "shop", output=["a:before"]), story.entries.remove(next(
        each for each in story.entries if isinstance(each, Answered) and each.value
        and each.value[0] == "success" and "a:after" in each.value[1]))),
     history.results_are_right),
    ("a result changes", lambda story: story.ask("result", "line", answer=["success", ["b:0", "b:1"]]),
     history.results_never_change),
    ("a success fails later", lambda story: story.ask(
        "status", "shop", answer=["failed", "builtins:ValueError"]),
     history.results_never_change),
    ("who waits is forgotten", lambda story: story.wait_in_vain("line", 20),
     history.who_waits_hears_of_the_end),
    ("a signal is lost", lambda story: _change(story, "box", output=["a/1", "a/2", "c/1"]),
     history.signals_arrive_once_and_in_order),
    ("a signal comes twice", lambda story: _change(story, "box", output=["a/1", "b/1", "b/1", "a/2"]),
     history.signals_arrive_once_and_in_order),
    ("an unknown signal comes twice", lambda story: _change(
        story, "box", output=["a/1", "b/1", "c/1", "a/2", "c/1"]),
     history.signals_arrive_once_and_in_order),
    ("signals of two clients change places", lambda story: _change(
        story, "box", output=["b/1", "a/1", "a/2"]),
     history.signals_arrive_once_and_in_order),
    ("a signal from nowhere", lambda story: _change(story, "box", output=["a/1", "b/1", "a/2", "x"]),
     history.signals_arrive_once_and_in_order),
    ("a promise has a loser who was told ok", lambda story: story.ask("resolve", "vote", "b/4", client="b"),
     history.promises_have_one_winner),
    ("a promise has two values", lambda story: _change(story, "vote", output=["shared:open", "a/3", "b/3"]),
     history.promises_have_one_winner),
    ("a refused vote wins", lambda story: _change(story, "vote", output=["shared:open", "b/3", "b/3"]),
     history.promises_have_one_winner),
    ("cancelled without cleanup", lambda story: story.entries.remove(next(
        each for each in story.entries if isinstance(each, Began) and each.label == "cleanup")),
     history.cancelled_means_cancelled),
    ("a recorded task begins again", lambda story: story.begin("line", 1, "1", process=2),
     history.recorded_tasks_do_not_begin_again),
    ("a task begins after its consequence", lambda story: story.begin("vote", 0, "open", process=2),
     history.no_task_begins_after_its_consequences),
    ("a task begins after the end", lambda story: story.begin("gone", 2, "1"),
     history.no_task_begins_after_the_end),
    ("a task of no run", lambda story: story.entries.append(Began(
        at=story.at(), process=1, run="other", task="09:0", label="0", attempt=1)),
     history.tasks_belong_to_runs),
    ("an outcome out of thin air", lambda story: story.entries.append(
        Recorded(at=story.at(), tasks=[_task("vote", 7)])),
     history.what_is_recorded_was_done),
    ("a task is skipped", lambda story: story.entries.remove(next(
        each for each in story.entries if isinstance(each, Began) and each.label == "count")),
     history.what_is_recorded_was_done),
    ("a key changes", lambda story: story.begin("box", 5, "4") or story.begin("box", 6, "4"),
     history.idempotency_keys_are_stable),
    ("another task has the key", lambda story: story.begin("dag", 2, "alarm", key=_task("dag", 9)),
     history.idempotency_keys_are_stable),
    ("what is skipped begins", lambda story: story.begin("dag", 1, "after"),
     history.skipped_tasks_never_begin),
    ("a run that must fail succeeds", lambda story: _change(story, "dag", status="success"),
     history.results_are_right),
    ("a lost attempt is not marked", lambda story: _without(story, lambda each: isinstance(each, Marked)),
     history.what_ran_on_a_dead_node_is_lost_and_tried_again),
    ("a lost attempt is not tried again", lambda story: _without(
        story, lambda each: isinstance(each, Began) and each.attempt == 2),
     history.what_ran_on_a_dead_node_is_lost_and_tried_again),
    ("a process is left", lambda story: story.entries.append(Left(at=story.at(), words="sleep 100")),
     history.no_process_is_left),
    ("a tick is missed", lambda story: _without(
        story, lambda each: isinstance(each, RunAtEnd) and each.run.endswith("02Z")),
     history.every_tick_started_one_run),
    ("the last tick is missed", lambda story: _without(
        story, lambda each: isinstance(each, RunAtEnd) and each.run.endswith("04Z")),
     history.every_tick_started_one_run),
    ("a tick starts two runs", lambda story: _change(
        story, "ticker@2026-01-01T00:00:04Z", input={"who": "ticker", "tick": "2026-01-01T00:00:02+00:00"}),
     history.every_tick_started_one_run),
    ("a schedule skips", lambda story: story.entries.append(
        Ticked(schedule="ticker", every=2, began_at=_TICKS - 0.5, next_at=_TICKS + 4, skipped=1)),
     history.every_tick_started_one_run),
    ("the doctor finds something", lambda story: story.entries.append(
        Stranded(at=story.at(), run="line", problem="it waits for nothing")),
     history.nothing_is_stranded),
    ("a node ends by itself", lambda story: story.entries.append(
        Died(at=story.at(), whom="node-0", words="a traceback")),
     history.nobody_failed_by_itself),
    ("an engine fails", lambda story: story.ask("status", "line", fate="?NodeStopped: an error of its own"),
     history.nobody_failed_by_itself),
]
# fmt: on


@pytest.mark.parametrize(("lie", "breaks"), [lie[1:] for lie in LIES], ids=[lie[0] for lie in LIES])
def test_a_history_that_cannot_be_is_found_out(
    lie: Callable[[Story], object], breaks: Callable[[Evidence], Verdict]
) -> None:
    story = a_good_day()

    lie(story)

    evidence = gather(story.entries)
    found = [verdict.promise for verdict in judge(evidence) if verdict.broken]
    assert breaks(evidence).promise in found


def test_a_cancelled_run_that_succeeds_is_found_out() -> None:
    story = a_good_day()
    _change(story, "gone", status="success")

    broken = history.cancelled_means_cancelled(gather(story.entries)).broken

    assert len(broken) == 1
    assert "was cancelled and went on" in broken[0]


def test_a_frozen_process_may_finish_what_it_was_about_to_do() -> None:
    story = a_good_day()
    since = story.at()
    story.begin("line", 1, "1", process=2)
    frozen = Hurt(at=since, fault=FREEZE, whom="node-1", process=2, until=story.now - 0.2)

    with_the_fault = judge(gather([*story.entries, frozen]))
    long_after = judge(gather([*story.entries, Hurt(**{**_facts(frozen), "until": story.now - 0.8})]))

    assert [verdict.promise for verdict in with_the_fault if verdict.broken] == []
    assert [verdict.promise for verdict in long_after if verdict.broken] != []


def test_who_is_cut_off_may_hear_of_an_end_later() -> None:
    story = a_good_day()
    since = story.at()
    story.wait_in_vain("line", 20)
    cut_off = Hurt(at=since, fault="line held up", whom="a", until=since + 12)

    cut_off_itself = history.who_waits_hears_of_the_end(gather([*story.entries, cut_off]))
    another = Hurt(**{**_facts(cut_off), "whom": "node-0"})
    another_cut_off = history.who_waits_hears_of_the_end(gather([*story.entries, another]))

    assert cut_off_itself.broken == []
    assert len(another_cut_off.broken) == 1


def test_what_a_killed_client_asked_for_may_happen_at_any_later_time() -> None:
    story = a_good_day()

    lost = next(each for each in gather(story.entries).operations if each.client == "c")

    assert lost.fate == "unknown"
    assert lost.ended_at == math.inf


def test_a_batch_of_starts_counts_as_a_start_of_each() -> None:
    story = Story()
    value = {"workflow": "sequence", "arguments": [["a", 1, 0.0], ["b", 1, 0.0]], "ids": ["line", "box"]}
    story.ask("start_many", "line", value, answer=[_KEYS["line"], _KEYS["box"]])
    story.end("line", "sequence", {"who": "a", "steps": 1, "seconds": 0.0}, "success", ["a:0"])

    [broken] = history.acknowledged_starts_are_there(gather(story.entries)).broken

    assert "run box was acknowledged, and there is none" in broken


def _facts(hurt: Hurt) -> dict[str, Any]:
    return {name: getattr(hurt, name) for name in Hurt.__struct_fields__}


@pytest.mark.parametrize("killed", ["process", "shell"])
def test_a_task_that_was_killed_itself_need_not_be_lost(killed: str) -> None:
    """Also if its node died later: the attempt had failed by then."""
    story = a_good_day()
    began = {"process": 81, "shell": 80, "node": _NODE + 2}
    story.begin("dag", 3, "broken", **began)
    story.show("dag", 3, node=_NODE + 2)
    task = Hurt(
        at=story.at(),
        fault="kill -9 of a task's process",
        whom=f"task of process {_NODE + 2}",
        process=began[killed],
        until=0,
    )
    node = Hurt(at=story.at(), fault="kill -9 of a node", whom="n", process=_NODE + 2, until=0)

    check = history.what_ran_on_a_dead_node_is_lost_and_tried_again
    both_killed = check(gather([*story.entries, task, node]))
    only_the_node = check(gather([*story.entries, node]))

    assert both_killed.broken == []
    assert len(only_the_node.broken) == 1


def test_an_attempt_that_the_database_did_not_know_of_need_not_be_lost() -> None:
    """The next owner begins the same attempt: nobody can tell it that the first node had."""
    story = a_good_day()
    story.begin("dag", 3, "broken", process=81, node=_NODE + 2)
    story.now += 60
    story.show("dag", 3, node=_NODE + 1)
    node = Hurt(at=story.at(), fault="kill -9 of a node", whom="n", process=_NODE + 2, until=0)
    shown = Shown(at=story.at(), attempts=[ShownAttempt(_task("dag", 3), 1, _NODE + 2)])

    check = history.what_ran_on_a_dead_node_is_lost_and_tried_again
    unknown = check(gather([*story.entries, node]))
    known = check(gather([*story.entries, shown, node]))

    assert unknown.broken == []
    assert len(known.broken) == 1


def test_a_lost_attempt_may_be_followed_by_one_that_never_began() -> None:
    """Its node was killed as well, between recording and starting it."""
    story = a_good_day()
    began = [it for it in story.entries if isinstance(it, Began) and it.task == _task("dag", 0)]
    third = Began(**{name: getattr(began[1], name) for name in Began.__struct_fields__} | {"attempt": 3})
    entries = [third if it is began[1] else it for it in story.entries]

    found = history.what_ran_on_a_dead_node_is_lost_and_tried_again(gather(entries))

    assert (found.looked_at, found.broken) == (1, [])


def test_what_is_done_to_the_line_of_a_place_strikes_each_process_in_it() -> None:
    held_up = Hurt(at=10, fault="line held up, then cut", whom="node-1", until=20)
    evidence = gather([held_up])

    assert evidence.peace("node-1.4", 9, 20) == evidence.peace("node-1.5", 9, 20) == 1
    assert evidence.peace("node-2.4", 9, 20) == 11
