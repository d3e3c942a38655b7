"""The sentences that say why a run is as it is, by cases."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.stores.builders import SECOND, at, key, new_run

from holdfast.core.explaining import Surroundings, explain
from holdfast.core.explanation_parts import Ending, FailedTask, explanation_parts, run_facts
from holdfast.core.explanations import ExplanationPart
from holdfast.core.open_requests import OpenRequests
from holdfast.core.questions import QuestionRecord
from holdfast.core.records import MessageKind
from holdfast.core.situations import (
    BusyTask,
    OpenChildRow,
    OpenTaskRow,
    QueueRow,
    RunCounts,
    ServingNode,
    Situation,
    UnreadMessages,
)
from holdfast.core.values import Failure, Payload, RunStatus, TaskStatus
from holdfast.core.waiting import WaitKind

NOW = at(3600)
NODE = ServingNode("atlas-2", at(9999), None, frozenset({"order@1"}))
ON_NODE = new_run(1, id="r", owner="atlas-2")
COLD = new_run(1, id="r", status=RunStatus.RUNNING, wake_at=None, started_at=at(0))
ENDED: dict[str, Any] = {"id": "r", "wake_at": None, "started_at": at(0), "finished_at": at(2460)}
NO_COUNTS = RunCounts({}, 0, 0, 0, True, None)


def open_task(seq: int, name: str, status: TaskStatus = TaskStatus.RUNNING, **fields: Any) -> OpenTaskRow:
    known: dict[str, Any] = {"attempt": 1, "lost": 0, "forgiven": 0, "due_at": None, "started_at": at(3000)}
    return OpenTaskRow(seq, name, status, created_at=at(3000), input=None, **(known | fields))


def asking(*messages: tuple[WaitKind, str], timer: float | None = None) -> OpenRequests:
    requests = OpenRequests()
    for kind, name in messages:
        requests.messages[kind, name] = at(0)
        requests.asked[kind, name] += 1
    if timer is not None:
        requests.timers[0] = (at(timer), at(0))
    return requests


def parts_of(
    situation: Situation,
    requests: OpenRequests | None = None,
    *,
    counts: RunCounts = NO_COUNTS,
    ending: Ending | None = None,
    **around: Any,
) -> tuple[ExplanationPart, ...]:
    surroundings = Surroundings(NOW, **around)
    explanation = explain(situation, requests or OpenRequests(), surroundings)
    return explanation_parts(explanation, situation, counts, ending or Ending(), surroundings)


def sentence(*args: Any, **options: Any) -> str:
    return "".join(part.text for part in parts_of(*args, **options))


def failed(message: str = "currency missing") -> Failure:
    return Failure(type="shop:Declined", message=message)


@pytest.mark.parametrize(
    ("situation", "options", "expected"),
    [
        (
            Situation(new_run(1, id="r"), nodes=[NODE._replace(claims=frozenset())]),
            {},
            "No node has order 1. Start one that does; the run waits until then.",
        ),
        (
            Situation(new_run(1, id="r")),
            {},
            "It waits for a node that has version '1' of workflow 'order'. No node is running.",
        ),
        (
            Situation(new_run(1, id="r", wake_at=NOW), nodes=[NODE]),
            {},
            "Waits for a node that has order.",
        ),
        (
            Situation(
                ON_NODE, nodes=[NODE], tasks=[open_task(3, "price")], task_counts={("running", False): 1}
            ),
            {},
            "price runs, for 10 min, on atlas-2.",
        ),
        (
            Situation(
                ON_NODE,
                nodes=[NODE],
                tasks=[open_task(3, "price"), open_task(4, "price")],
                task_counts={("running", False): 60, ("dispatched", False): 4, ("pending", False): 626},
            ),
            {
                "counts": NO_COUNTS._replace(
                    tasks={TaskStatus.SUCCESS: 1310, TaskStatus.RUNNING: 64, TaskStatus.PENDING: 626}
                )
            },
            "64 of price run; 1,310 of 2,000 tasks are done.",
        ),
        (
            Situation(COLD, nodes=[NODE]),
            {"requests": asking(timer=3600 + 61_200)},
            "Sleeps until 2025-06-16 09:06 UTC, 17 h more. No node holds it meanwhile.",
        ),
        (
            Situation(
                ON_NODE,
                nodes=[NODE],
                tasks=[open_task(2, "post", TaskStatus.PENDING, attempt=3, due_at=at(3638))],
                task_counts={("pending", True): 1},
            ),
            {"problems": {2: "ConnectionError: closed"}},
            "post failed and is tried again in 38 s, attempt 3. The last attempt: ConnectionError: closed.",
        ),
        (
            Situation(
                ON_NODE,
                nodes=[NODE],
                tasks=[open_task(2, "post", TaskStatus.PENDING)],
                task_counts={("pending", False): 1},
            ),
            {"holders": {2: [BusyTask(key(9), "books", 0, "hold", None)]}},
            "post waits for a slot of queue default, for 10 min, held by hold of run books.",
        ),
        (
            Situation(
                ON_NODE,
                nodes=[NODE],
                tasks=[open_task(2, "resize", TaskStatus.PENDING)],
                task_counts={("pending", False): 1},
                queue=[QueueRow(2, "pixels", None, at(3000), None, at(3000))],
            ),
            {},
            "resize waits for a worker of service pixels, for 10 min. No worker serves 'pixels'.",
        ),
        (
            Situation(
                COLD,
                nodes=[NODE],
                questions=[QuestionRecord(key(1), "r", "order", 0, "ask", Payload(b"{}"), at(0))],
            ),
            {},
            "Waits for a person to answer ask, for 1 h.",
        ),
        (
            Situation(
                ON_NODE,
                nodes=[NODE],
                unread=[
                    UnreadMessages(MessageKind.SIGNAL, "note", 1, at(1)),
                    UnreadMessages(MessageKind.SIGNAL, "hurry", 1, at(1)),
                ],
            ),
            {"requests": asking((WaitKind.SIGNAL, "paid"))},
            "Waits for the signal paid, for 1 h. 2 others came and were not read: note, hurry.",
        ),
        (
            Situation(
                COLD,
                nodes=[NODE],
                children=[OpenChildRow(key(2), "fees-0316", "fees", RunStatus.RUNNING, at(3540))],
                child_count=1,
            ),
            {},
            "Waits for its child fees-0316, which is running, for 1 min.",
        ),
        (
            Situation(new_run(1, id="r", owner="atlas-3"), nodes=[NODE]),
            {},
            "Was on atlas-3, which is gone or has not renewed its lease. "
            "Another node takes it over within a minute.",
        ),
        (
            Situation(
                new_run(
                    1, id="r", status=RunStatus.PARKED, wake_at=at(7200), failure=failed("task 3 was 'a'")
                )
            ),
            {},
            "Parked: Declined: task 3 was 'a'. It is tried again by itself at 2025-06-15 17:06 UTC.",
        ),
        (
            Situation(new_run(1, id="r", status=RunStatus.PAUSED, wake_at=None, waiting="x; paused by sam")),
            {},
            "Paused by sam. It goes on only when it is resumed.",
        ),
        (
            Situation(new_run(1, id="r", wake_at=at(3660)), nodes=[NODE]),
            {},
            "Is to be started at 2025-06-15 16:07 UTC, in 1 min.",
        ),
        (
            Situation(new_run(1, status=RunStatus.FAILED, failure=failed(), **ENDED)),
            {"ending": Ending(FailedTask(4, "charge", 5))},
            "charge failed: Declined: currency missing, after 5 attempts. "
            "What is recorded stays; a retry begins at charge.",
        ),
        (
            Situation(new_run(1, status=RunStatus.FAILED, failure=failed("no. Really."), **ENDED)),
            {},
            "Failed: Declined: no. Really. What is recorded stays; a retry begins after it.",
        ),
        (
            Situation(
                new_run(1, status=RunStatus.FAILED, failure=Failure("", "task 'pay' failed: exit 3"), **ENDED)
            ),
            {"ending": Ending(FailedTask(4, "pay", 1))},
            "pay failed: exit 3. What is recorded stays; a retry begins at pay.",
        ),
        (
            Situation(new_run(1, status=RunStatus.CANCELLED, failure=failed("took it back"), **ENDED)),
            {"ending": Ending(by="sam", asked_at=at(2457))},
            'Cancelled by sam at 2025-06-15 15:47 UTC: "took it back". Cleanup took 3 s.',
        ),
        (
            Situation(new_run(1, status=RunStatus.CANCELLED, **ENDED)),
            {},
            "Cancelled at 2025-06-15 15:47 UTC.",
        ),
        (
            Situation(new_run(1, status=RunStatus.SUCCESS, **ENDED)),
            {"ending": Ending(usual=410 * SECOND)},
            "Done in 41 min, 6 times as long as usual.",
        ),
        (
            Situation(new_run(1, status=RunStatus.SUCCESS, **ENDED)),
            {"ending": Ending(usual=2000 * SECOND)},
            "Done in 41 min.",
        ),
        (Situation(COLD, nodes=[NODE]), {}, "It waits. Nothing will wake it."),
    ],
)
def test_each_situation_has_its_sentence(situation: Situation, options: dict[str, Any], expected: str):
    assert sentence(situation, **options) == expected


def test_a_run_without_a_reason_is_told_to_be_wrong():
    explanation = msgspec.structs.replace(
        explain(Situation(COLD, nodes=[NODE]), OpenRequests(), Surroundings(NOW)), reasons=()
    )

    parts = explanation_parts(explanation, Situation(COLD), NO_COUNTS, Ending(), Surroundings(NOW))

    assert [part.text for part in parts] == [
        "Has no reason to wake. ",
        "This should not happen: to know more, use `holdfast doctor`.",
    ]


def test_the_parts_name_what_can_be_opened():
    task = Situation(new_run(1, status=RunStatus.FAILED, failure=failed(), **ENDED))
    child = Situation(
        COLD,
        nodes=[NODE],
        children=[OpenChildRow(key(2), "kid", "fees", RunStatus.PARKED, at(0))],
        child_count=3,
    )

    assert [part for part in parts_of(task, ending=Ending(FailedTask(4, "charge", 5))) if part.kind] == [
        ExplanationPart("charge", "task", "4"),
        ExplanationPart("Declined: currency missing", "strong"),
        ExplanationPart("charge", "task", "4"),
    ]
    assert [part for part in parts_of(child) if part.ref] == [ExplanationPart("kid", "run", "kid")]
    assert sentence(child).startswith("Waits for 3 children, such as kid, which is parked")


def test_an_update_that_is_waited_for_or_answered_has_its_sentence():
    waiting = sentence(Situation(ON_NODE, nodes=[NODE]), asking((WaitKind.UPDATE, "add")))
    answering = sentence(
        Situation(ON_NODE, nodes=[NODE], updates=[UnreadMessages(MessageKind.UPDATE, "add", 1, at(3540))])
    )

    assert waiting == "Waits for an update, such as add."
    assert answering == "Is answering the update add, for 1 min."


def test_a_slot_names_two_that_hold_it_with_their_runs_and_for_how_long():
    holders = [
        BusyTask(key(9), "books", 0, "hold", at(3597)),
        BusyTask(ON_NODE.key, "r", 7, "own", at(3540)),
        BusyTask(key(8), None, 1, "third", None),
    ]
    behind = Situation(
        ON_NODE,
        nodes=[NODE],
        tasks=[open_task(2, "post", TaskStatus.PENDING)],
        task_counts={("pending", False): 1},
    )

    said = sentence(behind, holders={2: holders})
    refs = [(part.kind, part.ref) for part in parts_of(behind, holders={2: holders}) if part.ref]

    assert said == (
        "post waits for a slot of queue default, for 10 min, "
        "held by hold of run books for 3 s, own for 1 min and 1 more."
    )
    assert refs == [("task", "2"), ("queue", "default"), ("run", "books"), ("task", "7")]


def test_a_task_in_front_of_a_slot_has_waited_since_its_backoff_was_over():
    behind = Situation(
        ON_NODE,
        nodes=[NODE],
        tasks=[open_task(2, "post", TaskStatus.PENDING, attempt=2, due_at=at(3540))],
        task_counts={("pending", False): 1},
    )

    assert sentence(behind) == "post waits for a slot of queue default, for 1 min."


def test_facts_are_counted_by_what_became_of_tasks():
    run = new_run(1, status=RunStatus.SUCCESS, chapter=2, **ENDED)
    tasks = {TaskStatus.SUCCESS: 5, TaskStatus.SKIPPED: 1, TaskStatus.FAILED: 2, TaskStatus.DISPATCHED: 3}

    facts = run_facts(run, RunCounts(tasks, 4, 9, 2 * SECOND, False, "up"))

    assert (facts.tasks, facts.tasks_done, facts.tasks_running, facts.tasks_failed) == (11, 5, 3, 2)
    assert facts.tasks_skipped == 1
    assert (facts.took, facts.waited_for_person, facts.parent) == (2460.0, 2.0, "up")
    assert (facts.children, facts.chapters, facts.steps, facts.is_counted_exactly) == (4, 3, 9, False)
    assert run_facts(COLD, NO_COUNTS).took is None
