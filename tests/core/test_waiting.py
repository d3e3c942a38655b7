from __future__ import annotations

import pytest

from holdfast.core.waiting import NO_WAIT, WaitKind, WaitReason, describe_wait, wait_for_children

TIMER = WaitReason(WaitKind.TIMER, "noon")
SIGNAL = WaitReason(WaitKind.SIGNAL, "go")
SERVICES = [WaitReason(WaitKind.SERVICE, "resize", f"task-{number}") for number in range(5)]


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        ([SIGNAL], "signal 'go'"),
        ([WaitReason(WaitKind.PROMISE, "it's")], 'promise "it\'s"'),
        (
            [WaitReason(WaitKind.APPROVAL, "gate"), SIGNAL, TIMER],
            "approval 'gate'; signal 'go'; until noon",
        ),
        (wait_for_children(["b", "a"]), "child a, b"),
        ([*wait_for_children("dcba"), SIGNAL], "child a, b, c …; signal 'go'"),
        (SERVICES[:2], "a worker of service 'resize' (task-0); a worker of service 'resize' (task-1)"),
        (
            SERVICES,
            "a worker of service 'resize' (task-0); a worker of service 'resize' (task-1); "
            "a worker of service 'resize' (task-2); 2 more of them",
        ),
        ([WaitReason(WaitKind.RETRY, "charge"), TIMER], "until noon"),
        (
            [WaitReason(WaitKind.RETRY, "charge", "which was running when 2 nodes died"), TIMER],
            "another try of task 'charge', which was running when 2 nodes died; until noon",
        ),
        ([WaitReason(WaitKind.TURN, "parent")], "its turn in parent"),
        (
            [WaitReason(WaitKind.CODE, "order", "2030-01-02T00:00:00+00:00")],
            "code that it fits; it is tried again 2030-01-02T00:00:00+00:00",
        ),
    ],
)
def test_what_a_run_waits_for_is_told_in_words(reasons: list[WaitReason], words: str) -> None:
    assert describe_wait(reasons).words == words


def test_the_first_reason_gives_kind_and_name():
    found = describe_wait([*wait_for_children(["b", "a"]), SIGNAL])

    assert (found.kind, found.name) == (WaitKind.CHILD, "a")


def test_a_run_that_waits_for_nothing_has_no_words_for_it():
    assert describe_wait([]) == NO_WAIT == (None, None, None)
