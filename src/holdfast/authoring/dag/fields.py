"""Every field of a DAG: its shape, its meaning, and which kinds of task have it.

The loader, the JSON Schema and the reference page use this table.
"""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from holdfast.authoring.documents.field_values import duration, moment, read_fields, whole
from holdfast.authoring.documents.nodes import Node, ScalarNode, texts_of
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.shapes import (
    MOST_ENTRIES,
    SECRETS,
    VARIABLES,
    Anything,
    Enumeration,
    Excludes,
    Field,
    ListShape,
    MapShape,
    Needs,
    Number,
    OnlyFor,
    Record,
    Text,
    TrueOnly,
    TypeNotation,
    UnionShape,
    for_kinds,
)
from holdfast.core.policies import Retry

_LONGEST_NAME: Final = 100
_LARGEST_WHOLE: Final = 2**31 - 1
_MOST_SECONDS: Final = 10**12
"""Far longer than any allowed duration, and small enough for a timedelta."""

# --- shapes that are used more than once

NAME: Final = Text(
    "made of letters, digits, _ and - (a letter or _ first, 100 at most)",
    r"[A-Za-z_][A-Za-z0-9_-]*",
    _LONGEST_NAME,
)
_KEY: Final = Text("text of at most 200 characters", None, 200)
_ANY_NAME: Final = Text("a name of at most 500 characters", None, 500)
_TEXT: Final = Text()
_REFERENCE: Final = Text("a reference, such as discover.files or input.day", None, 1000)

_IN_WORDS: Final = "seconds, or text such as 250ms, 90s, 10m, 1h30m, 2d"
_SPAN: Final = r"([0-9]{1,9}(\.[0-9]{1,9})?(ms|s|m|h|d))+"


def _duration(description: str, *, may_be_zero: bool = False) -> Field:
    expected = f"a duration: {_IN_WORDS}" if may_be_zero else f"a duration longer than zero: {_IN_WORDS}"
    seconds = Number(expected, 0, _MOST_SECONDS, is_whole=False, without_least=not may_be_zero)
    shape = UnionShape((seconds, Text(expected, _SPAN, 100)), expected)
    return Field(shape, description, read=partial(duration, may_be_zero=may_be_zero))


_COUNT: Final = Number("a whole number of 1 or more", 1, _LARGEST_WHOLE)

_ERRORS: Final = UnionShape(
    (_ANY_NAME, ListShape(_ANY_NAME, "a list of names of errors", least=1)),
    "the name of an error, or several",
)

_RETRY_FIELDS: Final = {
    "max_attempts": Field(_COUNT, "How often to try at all, the first time included."),
    "first_delay": _duration("How long to wait after the first failure; 1 s if not given.", may_be_zero=True),
    "factor": Field(
        Number("a number from 1 to 1000", 1, 1000, is_whole=False),
        "How much longer each wait is than the one before; 2 if not given.",
    ),
    "max_delay": _duration("The longest wait; 5 min if not given.", may_be_zero=True),
    "jitter": Field(
        Number("a number from 0 to 1", 0, 1, is_whole=False),
        "How much of a wait is left to chance, in either direction; 0.1 if not given.",
    ),
    "never_on": Field(
        _ERRORS,
        "Errors that are final at once, by the name of their class: ValueError, shop:PaymentDeclined.",
    ),
    "only_on": Field(_ERRORS, "The only errors after which to try again. All others are final."),
}


def _names(node: Node, title: str, problems: Problems) -> tuple[str, ...]:
    return texts_of(node)


def _retry(node: Node, title: str, problems: Problems) -> Retry | None:
    """From a number, which counts the attempts after the first, or from a map."""
    if isinstance(node, ScalarNode):
        return Retry(max_attempts=whole(node) + 1)
    given = read_fields(node, _RETRY_FIELDS, problems)
    return None if None in given.values() else Retry(**given)


RETRIES: Final = UnionShape(
    (
        Number("a whole number from 0 to 1000", 0, 1000),
        Record(_RETRY_FIELDS, "a number or a map", required=("max_attempts",)),
    ),
    "how often to try again (0 to 1000), or a map with max_attempts",
)

_SOURCE: Final = Record(
    {
        "const": Field(Anything(), "A value as it is."),
        "ref": Field(_REFERENCE, "A reference to a value that a run or a task has."),
    },
    "{const: …} for a value, or {ref: …} for a reference",
    exactly_one=("const", "ref"),
)
_TYPE: Final = TypeNotation()

# --- tasks


class TaskKind(NamedTuple):
    """A kind of task: its name, and its `work` fields. A task of this kind has one of them."""

    name: str
    work: tuple[str, ...]


SHELL: Final = TaskKind("shell", ("command",))
PYTHON: Final = TaskKind("python", ("file", "module"))
WORKFLOW: Final = TaskKind("workflow", ("workflow",))
APPROVAL: Final = TaskKind("approval", ("approval",))
SIGNAL: Final = TaskKind("wait_for_signal", ("wait_for_signal",))
SLEEP: Final = TaskKind("sleep", ("sleep",))
KINDS: Final = (SHELL, PYTHON, WORKFLOW, APPROVAL, SIGNAL, SLEEP)
KIND_BY_WORK: Final = {field: kind for kind in KINDS for field in kind.work}
KIND_BY_EXECUTOR: Final = {"process": SHELL, **{kind.name: kind for kind in KINDS}}

_PROCESSES: Final = (SHELL.name, PYTHON.name)
_FANNING: Final = (*_PROCESSES, WORKFLOW.name)
_WAITING: Final = (*_FANNING, APPROVAL.name, SIGNAL.name)


_RUN_IN_PROCESS: Final = "only commands and functions run in a process"
_CAN_BE_RETRIED: Final = "only commands and functions are tried again"
_CAN_FAN_OUT: Final = "only commands, functions and workflows can be done many times at once"
_TAKE_INPUT: Final = "only commands, functions and workflows take input"

_ONLY_FOR: Final[dict[str, OnlyFor]] = {
    "function": OnlyFor((PYTHON.name,), "it names a function in a file or module"),
    **dict.fromkeys(
        ("env", "secrets", "workdir", "queue", "priority", "start_timeout"),
        OnlyFor(_PROCESSES, _RUN_IN_PROCESS),
    ),
    "heartbeat": OnlyFor(_PROCESSES, "only commands and functions can say that they are alive"),
    "retries": OnlyFor(_PROCESSES, _CAN_BE_RETRIED),
    **dict.fromkeys(("foreach", "parallel", "concurrency"), OnlyFor(_FANNING, _CAN_FAN_OUT)),
    **dict.fromkeys(("inputs", "input_type"), OnlyFor(_FANNING, _TAKE_INPUT)),
    "output_type": OnlyFor(_WAITING, "a sleep has no output"),
    "timeout": OnlyFor(_WAITING, "a sleep ends by itself"),
}

_APPROVAL_FIELDS: Final = {
    "title": Field(_TEXT, "What the person is asked."),
    "message": Field(_TEXT, "Another word for `title`."),
    "facts": Field(
        MapShape(_KEY, _SOURCE, "a map from names to {const: …} or {ref: …}"),
        "What the person should know, by name.",
    ),
    "answer": Field(_TYPE, "The type of the answer. An answer of another type is refused."),
    "by": Field(
        UnionShape(
            (_ANY_NAME, ListShape(_ANY_NAME, "a list of names", least=1, most=100)),
            "who may answer, or a list of them",
        ),
        "Who may answer; everybody if not given.",
    ),
}
_APPROVAL: Final = Record(
    _APPROVAL_FIELDS,
    "a map with title",
    excludes=(Excludes("title", "message", "they are two words for the same"),),
)

TASK_FIELDS: Final = for_kinds(
    _ONLY_FOR,
    {
        "description": Field(_TEXT, "What it is for, in words for people."),
        "executor": Field(
            Enumeration(("shell", "process", "python", "workflow", "approval", "wait_for_signal", "sleep")),
            "Which kind of task it is. Need not be given: it follows from the field that says what to do. "
            "`process` is another word for `shell`.",
        ),
        "command": Field(
            UnionShape(
                (
                    _TEXT,
                    ListShape(
                        _TEXT, "a list of arguments, the first of which is the program", least=1, most=1000
                    ),
                ),
                "text for the shell, or a list of arguments",
            ),
            "A command: text goes through the shell, a list of arguments does not.",
        ),
        "file": Field(
            Text("the path of a Python file", r"[^\n]+\.py", 500),
            "A Python file, relative to the folder of the DAG.",
        ),
        "module": Field(
            Text(
                "the name of a module, such as shop.publish",
                r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*",
                500,
            ),
            "A Python module that can be imported, instead of `file`.",
        ),
        "function": Field(
            Text("the name of a function", r"[A-Za-z_][A-Za-z0-9_]*", 200),
            "Which function of the file or module to call; `main` if not given.",
        ),
        "workflow": Field(_ANY_NAME, "Another workflow, of any kind, to start and wait for."),
        "approval": Field(
            UnionShape(
                (TrueOnly(), _TEXT, _APPROVAL),
                "true, a question to a person, or a map with title, facts, answer and by",
            ),
            "Wait until a person says yes or no.",
        ),
        "wait_for_signal": Field(
            UnionShape((TrueOnly(), _ANY_NAME), "the name of a signal, or true for that of the task"),
            "Wait for a signal of this name; `true` is the name of the task.",
        ),
        "sleep": _duration("Wait this long. It costs nothing meanwhile.", may_be_zero=True),
        "depends_on": Field(
            UnionShape((_TEXT, ListShape(_TEXT, "a list of tasks")), "the name of a task, or a list of them"),
            "The tasks that must have ended before this one begins.",
        ),
        "on_failure": Field(
            Enumeration(("skip", "run")),
            "What to do if a task before it failed: `skip` it too, which is the default, or `run` it anyway.",
        ),
        "when": Field(
            Text("a condition, such as discover.count > 0"),
            "A condition. If it is not true, the task is skipped.",
        ),
        "inputs": Field(
            MapShape(_KEY, _SOURCE, "a map from names to {const: …} or {ref: …}"),
            "What the task gets, by name. If not given: the inputs of the run, and the outputs of the tasks "
            "that it depends on, by their names.",
        ),
        "input_type": Field(_TYPE, "The type of what it gets."),
        "output_type": Field(
            _TYPE, "The type of what it gives. Checked when it arrives. In a fan-out, that of one item."
        ),
        "foreach": Field(_REFERENCE, "A list. The task is done once for each item, which it gets as `item`."),
        "parallel": Field(
            UnionShape(
                (Number("a whole number from 1 to 1,000,000", 1, 1_000_000), _REFERENCE),
                "how often to do it, or a reference to a number",
            ),
            "How often to do it, each with its `parallel_index`.",
        ),
        "concurrency": Field(_COUNT, "How many of a fan-out may run at once."),
        "retries": Field(
            RETRIES, "How often to try again after a failure, or a map that says more.", read=_retry
        ),
        "timeout": _duration(
            "The longest one attempt may run. Of an approval, a signal or a workflow: the wait."
        ),
        "start_timeout": _duration("The longest an attempt may wait for a free slot."),
        "heartbeat": _duration("The longest an attempt may be silent."),
        "queue": Field(_ANY_NAME, "Tasks of one queue share its limit; `default` if not given."),
        "priority": Field(
            Number("a whole number", -_LARGEST_WHOLE, _LARGEST_WHOLE),
            "Higher goes first among the tasks that wait for a slot; 0 if not given.",
        ),
        "env": Field(VARIABLES, "Variables for its environment. Numbers become text as they are written."),
        "secrets": Field(
            SECRETS,
            "Names of secrets. Their values are variables of its environment, and are masked in its log, its "
            "output and its errors.",
            read=_names,
        ),
        "workdir": Field(
            _TEXT, "Where it runs, relative to the folder of the DAG, which it is if not given."
        ),
    },
)
_OPTIONS: Final = (
    *("retries", "timeout", "start_timeout", "heartbeat", "queue", "priority"),
    *("env", "secrets", "workdir"),
)
OPTION_FIELDS: Final = {name: TASK_FIELDS[name] for name in _OPTIONS}
DEFAULT_FIELDS: Final[dict[str, Field]] = {
    **OPTION_FIELDS,
    "executor": Field(Enumeration(("shell", "process", "python")), "Which kind most tasks are."),
}

WORK_FIELDS: Final = tuple(KIND_BY_WORK)


def _misplaced() -> list[Excludes]:
    """The fields that only some kinds of task have do not go with the work fields of other kinds."""
    return [
        Excludes(name, work, field.only_for.because)
        for name, field in TASK_FIELDS.items()
        for work, kind in KIND_BY_WORK.items()
        if field.only_for is not None and not field.is_for(kind.name)
    ]


TASK: Final = Record(
    TASK_FIELDS,
    "a map of fields",
    exactly_one=WORK_FIELDS,
    excludes=(
        Excludes("parallel", "foreach", "each of them says how often the task is done"),
        *_misplaced(),
    ),
    needs=(
        Needs("concurrency", ("foreach", "parallel")),
        *(Needs("executor", kind.work, executor) for executor, kind in KIND_BY_EXECUTOR.items()),
    ),
)

# --- the whole

_CATCHUP_ALL: Final = Record(
    {"all": Field(Number("a whole number from 1 to 1000", 1, 1000), "At most so many, the newest.")},
    "a map with all",
    required=("all",),
)
PLAN_FIELDS: Final = {
    "cron": Field(_TEXT, "When to run: five fields, or six with seconds first, or @daily and the like."),
    "every": _duration("Run at multiples of this span, instead of `cron`."),
    "timezone": Field(_TEXT, "The zone that `cron` and times without a zone are meant in; UTC if not given."),
    "jitter": _duration("Spread the start over this long.", may_be_zero=True),
    "start": Field(_TEXT, "Not before this moment, such as 2026-01-31 or 2026-01-31T02:00:00Z.", read=moment),
    "end": Field(_TEXT, "Not after this moment.", read=moment),
    "overlap": Field(
        Enumeration(("skip", "allow", "queue", "cancel_previous")),
        "What to do while the run before is still under way; `skip` if not given.",
    ),
    "catchup": Field(
        UnionShape(
            (Enumeration(("none", "last", "all")), _CATCHUP_ALL),
            "none, last, all, or {all: 10} for the newest 10",
        ),
        "Which runs that were missed to make up for: `none`, the `last`, `all` (of the newest 100), or "
        "`{all: 10}` for the newest 10. `last` if not given.",
    ),
}
_SCHEDULE_FIELDS: Final = {
    **PLAN_FIELDS,
    "input": Field(
        MapShape(NAME, Anything(), "a map from names of inputs to values"),
        "What its runs are given. In a text, `{tick}` stands for the tick and `{date}` for its day. An input "
        "that is a date or a datetime and has no default is that of the tick, if not given.",
    ),
}
SCHEDULE: Final = UnionShape(
    (_TEXT, Record(_SCHEDULE_FIELDS, "a cron line or a map", exactly_one=("cron", "every"))),
    "a cron line, or a map with cron or every",
)
_OUTPUT: Final = MapShape(
    _KEY,
    UnionShape(
        (_REFERENCE, Record({"ref": Field(_REFERENCE, "A reference.")}, "a reference", required=("ref",))),
        "a reference",
    ),
    "a map from names to references",
)

TOP: Final = Record(
    {
        "name": Field(NAME, "The name of the workflow; that of the file if not given."),
        "description": Field(_TEXT, "What it is for, in words for people."),
        "schedule": Field(SCHEDULE, "When to run it by itself."),
        "input": Field(
            MapShape(NAME, _TYPE, "a map from names to types"),
            "What a run is given: types, with defaults (`int = 100`).",
        ),
        "output": Field(
            _OUTPUT,
            "What a run gives, by name. If not given: the outputs of the tasks that no other depends on.",
        ),
        "types": Field(
            MapShape(NAME, _TYPE, "a map from names to types"), "Types with a name, for use elsewhere."
        ),
        "defaults": Field(
            Record(DEFAULT_FIELDS, "a map of fields"),
            "Fields for all tasks that do not have them themselves.",
        ),
        "tasks": Field(
            MapShape(NAME, TASK, f"a map of 1 to {MOST_ENTRIES:,} tasks by name", least=1),
            "What is to be done, by name.",
        ),
        "timeout": _duration("The longest a whole run may take."),
        "max_parallel": Field(_COUNT, "How many tasks of a run may run at once."),
    },
    "a map with tasks in it",
    required=("tasks",),
)
