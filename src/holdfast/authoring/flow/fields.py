"""Every field of a flow: its shape, its meaning, and which kinds of node have it.

A node may have a flow inside, and a condition may have others. They are `Anything` here; `reading.py` and
`condition_reading.py` read them by the same tables.
"""

from __future__ import annotations

from typing import Final

from holdfast.authoring.documents.field_values import map_of
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
    Plain,
    Record,
    Text,
    UnionShape,
    for_kinds,
)
from holdfast.authoring.flow.path_reading import source_at, steps_at
from holdfast.core.names import LONGEST_NAME

_LARGEST_WHOLE: Final = 2**31 - 2
MOST_MILLISECONDS: Final = 36_525 * 86_400_000
"""A hundred years."""
_MOST_EDGES: Final = 100_000

# --- shapes that are used more than once

_NODE_KEY: Final = Text(
    "1 to 100 characters without / and control characters, the first not $",
    r"[^$/\x00-\x1f\x7f-\x9f][^/\x00-\x1f\x7f-\x9f]*",
    100,
)
_SHARED_KEY: Final = Text("a key of shared: without . [ ] in it, the first not $", r"[^$.\[\]][^.\[\]]*", 200)
_KEY: Final = Text("text of at most 200 characters", None, 200)
_NAME: Final = Text(f"a name of at most {LONGEST_NAME} characters", None, LONGEST_NAME)
SERVICE: Final = Text(
    "the name of a service: at most 200 characters, no control characters, not . or ..",
    r"(?!\.{1,2}$)[^\x00-\x1f\x7f-\x9f]+",
    200,
)
ACTION: Final = Text("text of at most 200 characters", None, 200)
_TEXT: Final = Text()
PATH: Final = Text("a path, such as $shared.order.items[0] or $params.limit", None, 1000)
_STEPS: Final = Text("a path inside of a value, such as order.items[0]", None, 1000)

MILLISECONDS: Final = Number(
    "a number of milliseconds, from 0 to those of 100 years", 0, MOST_MILLISECONDS, is_whole=False
)
_SOME_MILLISECONDS: Final = Number(
    "a number of milliseconds, from 1 to those of 100 years", 1, MOST_MILLISECONDS, is_whole=False
)
_COUNT: Final = Number("a whole number, 0 or more", 0, _LARGEST_WHOLE)

# --- kinds

EXECUTOR: Final = "executor"
CHOICE: Final = "choice"
PARALLEL: Final = "parallel"
SUBFLOW: Final = "subflow"
TIMER: Final = "timer"
FOREACH: Final = "foreach"
WAIT_EVENT: Final = "wait_event"
APPROVAL: Final = "approval"
KINDS: Final = (EXECUTOR, CHOICE, PARALLEL, SUBFLOW, TIMER, FOREACH, WAIT_EVENT, APPROVAL)

HTTP: Final = "http"
QUEUE: Final = "queue"
LOCAL_FUNC: Final = "local_func"
LOCAL_SCRIPT: Final = "local_script"
EXEC_TYPES: Final = (HTTP, QUEUE, LOCAL_FUNC, LOCAL_SCRIPT)

_WORKING: Final = (EXECUTOR, PARALLEL, FOREACH)
_FANNING: Final = (PARALLEL, FOREACH)

_ONLY_FOR: Final[dict[str, OnlyFor]] = {
    **dict.fromkeys(("exec_type", "script", "max_retries", "wait_ms", "timeout_ms"), OnlyFor(_WORKING)),
    **dict.fromkeys(("max_attempts", "attempt_delay_ms", "weighted_by_load"), OnlyFor(_WORKING)),
    **dict.fromkeys(("service", "func"), OnlyFor((EXECUTOR, FOREACH))),
    **dict.fromkeys(("parallel_mode", "max_parallel", "failure_strategy"), OnlyFor(_FANNING)),
    "parallel_services": OnlyFor((PARALLEL,)),
    **dict.fromkeys(("choice_cases", "default_action"), OnlyFor((CHOICE,))),
    **dict.fromkeys(("subflow", "workflow"), OnlyFor((SUBFLOW,))),
    "question": OnlyFor((APPROVAL,)),
}
"""Fields that only some kinds of node have."""

ONLY_WITH: Final[dict[str, tuple[str, ...]]] = {
    "service": (HTTP, QUEUE, LOCAL_FUNC),
    "func": (LOCAL_FUNC,),
    "script": (LOCAL_SCRIPT,),
    **dict.fromkeys(("max_attempts", "attempt_delay_ms", "weighted_by_load"), (HTTP,)),
    "timeout_ms": (HTTP, LOCAL_FUNC, LOCAL_SCRIPT),
}
"""Fields that go only with some values of exec_type."""

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "python": ("python3", "-c"),
    "javascript": ("node", "-e"),
    "node": ("node", "-e"),
    "bash": ("bash", "-c"),
    "sh": ("sh", "-c"),
    "ruby": ("ruby", "-e"),
    "perl": ("perl", "-e"),
}
"""What runs `code`, by its language."""
BEFORE_ARGUMENTS: Final[dict[str, str]] = {
    # For a shell the first argument is $0. The others would take arguments that begin with - for their own
    # options.
    **{language: language for language in ("bash", "sh")},
    **dict.fromkeys(("javascript", "node", "ruby", "perl"), "--"),
}


def listed(names: tuple[str, ...]) -> str:
    """As in a sentence: http, queue and local_func."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


# --- parts of a node

_SCRIPT: Final = Record(
    {
        "cmd": Field(_TEXT, "The program to run, as the shell would find it."),
        "args": Field(
            ListShape(Plain(), "a list of arguments", most=1000), "Its arguments, or those of `code`."
        ),
        "code": Field(Text(longest=1_000_000), "The text of a program, instead of `cmd`."),
        "language": Field(Enumeration(tuple(COMMANDS)), "What `code` is written in."),
        "env": Field(
            VARIABLES,
            "Variables for its environment. Numbers become text as they are written.",
        ),
        "secrets": Field(
            SECRETS,
            "Names of secrets. Their values are variables of its environment, and are masked in its log, its "
            "result and its errors.",
        ),
        "work_dir": Field(_TEXT, "Where it runs."),
        "timeout_ms": Field(_SOME_MILLISECONDS, "The longest one attempt may run."),
    },
    "a map with cmd, or with code and language",
    exactly_one=("cmd", "code"),
    needs=(Needs("code", ("language",)), Needs("language", ("code",))),
)
PREP: Final = Record(
    {
        "input_key": Field(PATH, "Where the input is; without $ it is a key of shared.", read=source_at),
        "input_map": Field(
            MapShape(_KEY, PATH, "a map from keys of the input to paths"),
            "A map as the input: each key with the path of its value.",
            read=map_of(source_at),
        ),
    },
    "a map with input_key or input_map",
    excludes=(Excludes("input_map", "input_key", "each of them is the whole input"),),
)
POST: Final = Record(
    {
        "output_key": Field(_SHARED_KEY, "The key of shared that the result is written to."),
        "output_map": Field(
            MapShape(_SHARED_KEY, _STEPS, "a map from keys of shared to paths inside of the result"),
            "Parts of the result, and the keys of shared that they are written to.",
            read=map_of(steps_at),
        ),
        "action_static": Field(ACTION, "The action after it, whatever the result."),
        "action_key": Field(_STEPS, "Where the action is, inside of the result.", read=steps_at),
    },
    "a map with output_key, output_map, action_static or action_key",
)
_CASE: Final = Record(
    {
        "action": Field(ACTION, "The action if the condition is true."),
        "expr": Field(Anything("a condition"), "The condition, such as {gt: [$shared.total, 100]}."),
    },
    "a map with action and expr",
    required=("action", "expr"),
)

QUESTION: Final = Record(
    {
        "title": Field(_NAME, "What the person is asked. It may be a path."),
        "facts": Field(
            Anything("a path, or a map of values and paths"),
            "What the person should know: values, and paths of values. The input of the node if not given.",
        ),
        "answer": Field(
            MapShape(_KEY, Anything(), "a JSON schema, which is a map"),
            "The JSON schema of the answer. An answer that does not fit it is refused.",
        ),
        "by": Field(
            UnionShape(
                (_NAME, ListShape(_NAME, "a list of names", least=1, most=100)),
                "who may answer, or a list of them",
            ),
            "Who may answer; everybody if not given. It may be a path.",
        ),
    },
    "a map with title, facts, answer or by",
)

# --- nodes

NODE_FIELDS: Final = for_kinds(
    _ONLY_FOR,
    {
        "kind": Field(Enumeration(KINDS), "What the node does."),
        "params": Field(
            MapShape(_KEY, Anything(), "a map of values"),
            "Parameters for it. Those of the run that have the same names win.",
        ),
        "prep": Field(PREP, "What it gets."),
        "post": Field(POST, "What becomes of its result, and where the flow goes next."),
        "exec_type": Field(Enumeration(EXEC_TYPES), "Who does the work; `http` if not given."),
        "service": Field(SERVICE, "The service that workers offer."),
        "func": Field(_NAME, "The registered task to call, with `exec_type: local_func`."),
        "script": Field(_SCRIPT, "The process to run, with `exec_type: local_script`."),
        "max_retries": Field(_COUNT, "How often to try again after a failure; 0 if not given."),
        "wait_ms": Field(MILLISECONDS, "How long to wait before each of these; 0 if not given."),
        "timeout_ms": Field(_SOME_MILLISECONDS, "The longest one attempt may take."),
        "max_attempts": Field(
            _COUNT, "How many workers to ask within one attempt; 0 or not given: each once."
        ),
        "attempt_delay_ms": Field(MILLISECONDS, "How long to wait before the next worker; 0 if not given."),
        "weighted_by_load": Field(
            Anything("true or false"), "Whether the worker with the least load is asked first."
        ),
        "choice_cases": Field(
            ListShape(_CASE, "a list of 1 to 1,000 maps with action and expr", least=1, most=1000),
            "Conditions with their actions. The first that is true decides.",
        ),
        "default_action": Field(ACTION, "The action if nothing else decides."),
        "parallel_services": Field(
            ListShape(SERVICE, f"a list of 1 to {MOST_ENTRIES:,} services", least=1),
            "The services to ask, each in a branch of its own; `params.services` if not given.",
        ),
        "parallel_mode": Field(
            Enumeration(("sequential", "concurrent")),
            "One branch after the other, which is the default, or at once.",
        ),
        "max_parallel": Field(_COUNT, "How many branches may be under way at once; 0 or not given: all."),
        "failure_strategy": Field(
            Enumeration(("fail_fast", "collect_errors", "ignore_errors")),
            "What the failure of a branch does to the others; `collect_errors` if not given.",
        ),
        "subflow": Field(Anything("a flow"), "A flow to go through, with a shared state of its own."),
        "workflow": Field(_NAME, "Any workflow, to be run as a child."),
        "question": Field(QUESTION, "What the person is asked, should know and may answer, and who it is."),
    },
)

_NODE: Final = Record(
    NODE_FIELDS,
    "a map of fields",
    required=("kind",),
    excludes=(Excludes("workflow", "subflow", "each of them says what to run"),),
    needs=(Needs("kind", ("subflow", "workflow"), SUBFLOW),),
)

# --- the whole

_EDGE: Final = Record(
    {
        "from": Field(_TEXT, "The node that it leaves."),
        "action": Field(
            Anything(ACTION.expected), "The action that takes it; `default` if not given or empty."
        ),
        "to": Field(_TEXT, "The node that it leads to."),
    },
    "a map with from, action and to",
    required=("from", "to"),
)

FLOW: Final = Record(
    {
        "name": Field(_NAME, "The name of the workflow; that of the file if not given."),
        "description": Field(_TEXT, "What it is for, in words for people."),
        "start": Field(_TEXT, "The node that a run begins with."),
        "nodes": Field(
            MapShape(_NODE_KEY, _NODE, f"a map of 1 to {MOST_ENTRIES:,} nodes by key", least=1),
            "What is to be done, by key.",
        ),
        "edges": Field(
            ListShape(_EDGE, f"a list of at most {_MOST_EDGES:,} edges", most=_MOST_EDGES),
            "Which node comes after which, by action.",
        ),
    },
    "a map with start, nodes and edges",
    required=("start", "nodes"),
)
