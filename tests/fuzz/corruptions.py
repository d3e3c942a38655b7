"""Every kind of damage that the engine is to survive, one run or one schedule at a time."""

from __future__ import annotations

from typing import Final

from tests.fuzz.damage import Damage, cut, flipped

from holdfast.core.commands import CompleteRun, MarkPatch, ScheduleTask, StartChild, StartTimer
from holdfast.core.events import ChildEnded, Reopened, SignalReceived, TaskEnded, TimerFired
from holdfast.core.journal import write_step
from holdfast.core.values import NULL, Instant, Succeeded

DEEP: Final = b"[" * 5_000 + b"]" * 5_000
NOT_TEXT: Final = b"\xff\xfe\x00\x80"
NOW: Final = Instant(1_700_000_000_000_000)
BIGGEST: Final = 2**63 - 1
SMALLEST: Final = -(2**63)

JSON_VALUES: Final = (b"", b"not json", b"[]", b"{}", b"5", b'{"type":5}', b'"\\ud800"', NOT_TEXT, DEEP)

RUNS = [
    *[Damage("runs", "input", value) for value in JSON_VALUES],
    *[Damage("runs", "output", value) for value in JSON_VALUES],
    *[Damage("runs", "failure", value) for value in JSON_VALUES],
    Damage("runs", "status", "bogus"),
    Damage("runs", "status", "success"),
    Damage("runs", "workflow", "nobody"),
    Damage("runs", "version", "1999"),
    Damage("runs", "parent", b"\x00" * 16),
    Damage("runs", "parent", b"short"),
    Damage("runs", "parent_seq", -1),
    Damage("runs", "epoch", -1),
    Damage("runs", "wake_at", SMALLEST),
    Damage("runs", "created_at", BIGGEST),
    Damage("runs", "created_at", SMALLEST),
    Damage("runs", "started_at", BIGGEST),
    Damage("runs", "waiting", ""),
    Damage("runs", "id", ""),
]

_ODD_STEPS = {
    "a task that nobody asked for": write_step(NOW, [TaskEnded(999, Succeeded(NULL))], []),
    "a timer that nobody set": write_step(NOW, [TimerFired(999)], []),
    "a child that nobody started": write_step(NOW, [ChildEnded(999, Succeeded(NULL))], []),
    "a message that nobody sent": write_step(NOW, [SignalReceived(999_999, "x", NULL)], []),
    "a reopening from nowhere": write_step(NOW, [Reopened(-5, -5, -5, -5)], []),
    "a reopening from the future": write_step(NOW, [Reopened(10**6, 2**63, 2**63, 2**63)], []),
    "a task without a row": write_step(NOW, [], [ScheduleTask(999, "echo", NULL)]),
    "a timer beyond all time": write_step(NOW, [], [StartTimer(999, Instant(2**64 - 1))]),
    "a timer before all time": write_step(NOW, [], [StartTimer(999, Instant(SMALLEST))]),
    "a child without a row": write_step(NOW, [], [StartChild(999, "resting", None, None, NULL)]),
    "a change": write_step(NOW, [], [MarkPatch("x")]),
    "an end": write_step(NOW, [], [CompleteRun(NULL)]),
    "an instant beyond all time": write_step(Instant(2**64 - 1), [], []),
    "an instant before all time": write_step(Instant(SMALLEST), [], []),
}

JOURNAL = [
    *[Damage("journal", "step", step, "position = 1") for step in _ODD_STEPS.values()],
    *[Damage("journal", "step", cut(length), "position = 0") for length in (0, 1, 2, 5, 10)],
    *[Damage("journal", "step", flipped(bit), "position = 1") for bit in range(0, 160, 7)],
    *[Damage("journal", "step", flipped(bit), "position = 0") for bit in range(3, 160, 11)],
    Damage("journal", "step", b"\x94\x01\x90\x90" + b"\x91" * 100_000 + b"\x01", "position = 0"),
    Damage("journal", "step", b"\xdd\xff\xff\xff\xff", "position = 0"),
    Damage("journal", "step", b"\x00" * 4096, "position = 0"),
    Damage("journal", "position", 999, "position = 1"),
    Damage("journal", "position", -1, "position = 1"),
    Damage("journal", None, None, "position = 0"),
    Damage("journal", None, None, "position = 1"),
    Damage("journal", None, None, "position > 1"),
    Damage("journal", None, None),
]

TASKS = [
    *[
        Damage("tasks", column, value, "seq = 0")
        for column in ("input", "output", "failure", "heartbeat")
        for value in JSON_VALUES
    ],
    *[
        Damage("tasks", column, value, "seq = 2")
        for column in ("input", "failure", "heartbeat")
        for value in (b"not json", b"[]", b'{"type":5}', NOT_TEXT)
    ],
    *[
        Damage("tasks", "status", status, f"seq = {seq}")
        for seq in (0, 2)
        for status in ("bogus", "pending", "dispatched", "success", "failed", "skipped", "cancelled")
    ],
    *[
        Damage("tasks", column, value, "seq = 2")
        for column in ("attempt", "lost", "forgiven")
        for value in (-5, 0, 2**31 - 1, BIGGEST)
    ],
    *[
        Damage("tasks", column, value, "seq = 2")
        for column in ("due_at", "started_at", "created_at")
        for value in (BIGGEST, SMALLEST, None)
    ],
    Damage("tasks", "name", "nobody", "seq = 2"),
    Damage("tasks", "seq", 77, "seq = 2"),
    Damage("tasks", "seq", 77, "seq = 0"),
    Damage("tasks", None, None, "seq = 0"),
    Damage("tasks", None, None),
]

MESSAGES = [
    *[Damage("messages", "payload", value) for value in JSON_VALUES],
    *[
        Damage("messages", "kind", kind)
        for kind in ("bogus", "signal", "resolved", "rejected", "cancel", "child")
    ],
    *[Damage("messages", "name", name, "kind = 'child'") for name in ("x", "", "-1", "9" * 5000, "0", "1.0")],
    Damage("messages", "taken", None),
    Damage("messages", "taken", None, "kind = 'child'"),
    Damage("messages", "taken", -1),
    Damage("messages", "taken", 999),
    Damage("messages", None, None),
]

CHILDREN = [
    *[
        Damage("children", column, value, f"parent_seq = {seq}")
        for seq in (0, 1)
        for column in ("output", "failure")
        for value in (b"not json", b"[]", b'{"type":5}', NOT_TEXT)
    ],
    *[
        Damage("children", "status", status, f"parent_seq = {seq}")
        for seq in (0, 1)
        for status in ("bogus", "pending", "success", "failed", "cancelled", "parked")
    ],
    Damage("children", "parent_seq", 77, "parent_seq = 0"),
    Damage("children", "parent_seq", None, "parent_seq = 1"),
    Damage("children", None, None, "parent_seq = 0"),
    Damage("children", None, None, "parent_seq = 1"),
]

STATE = [Damage("state", "value", value) for value in JSON_VALUES]

LOGS = [
    *[Damage("logs", "lines", value) for value in JSON_VALUES],
    *[Damage("logs", "seq", value) for value in (77, -1)],
    Damage("logs", "attempt", -1),
    Damage("logs", "lines", b'[[99999999999999999999,"stdout","x"],[-99999999999999999,"",""]]'),
]

SCHEDULES: Final = [
    *[Damage("schedules", column, value) for column in ("input", "plan") for value in JSON_VALUES],
    *[
        Damage("schedules", "plan", plan)
        for plan in (
            b'{"timetable":{"type":"lunar"},"overlap":"skip","catchup":{"mode":"last"}}',
            b'{"timetable":{"type":"cron","expression":"61 * * * *"}}',
            b'{"timetable":{"type":"cron","expression":"0 0 30 2 *"}}',
            b'{"timetable":{"type":"cron","expression":"* * * * *","timezone":"Nowhere/Land"}}',
            b'{"timetable":{"type":"cron","expression":"* * * * *","timezone":"../../etc/passwd"}}',
            b'{"timetable":{"type":"every","interval":"PT0S"}}',
            b'{"timetable":{"type":"every","interval":"-PT60S"}}',
            b'{"timetable":{"type":"every","interval":"PT0.000001S"}}',
            b'{"timetable":{"type":"every","interval":"PT60S"},"jitter":"-PT1H"}',
            b'{"timetable":{"type":"every","interval":"PT60S"},"jitter":"P99999D"}',
            b'{"timetable":{"type":"every","interval":"PT60S"},"start":9223372036854775807}',
            b'{"timetable":{"type":"every","interval":"PT60S"},"end":-9223372036854775808}',
        )
    ],
    *[
        Damage("schedules", column, value)
        for column in ("cursor", "next_at", "created_at")
        for value in (BIGGEST, SMALLEST, 0)
    ],
    *[
        Damage("schedules", "queued", value)
        for value in ("", "not json", "{}", "[1.5]", '["x"]', "[-1]", f"[{BIGGEST}]", f"[{2**70}]", "[1,1,1]")
    ],
    Damage("schedules", "active", b"\x00" * 16),
    Damage("schedules", "revision", -1),
    Damage("schedules", "revision", 2**31 - 1),
    Damage("schedules", "skipped", BIGGEST),
    Damage("schedules", "workflow", "nobody"),
    Damage("schedules", "name", "x" * 2000),
]

CORRUPTIONS: Final = {
    "runs": RUNS,
    "journal": JOURNAL,
    "tasks": TASKS,
    "messages": MESSAGES,
    "children": CHILDREN,
    "state": STATE,
    "logs": LOGS,
}
