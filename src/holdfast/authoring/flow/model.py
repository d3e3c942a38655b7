"""A flow after loading: checked, with all defaults applied.

Only the loader makes these, and it raises before it makes one that could not run. What depends on the values
of a run (is it a list, is there such a path?) is checked when a node is visited.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.authoring.documents.expression_tree import Part
from holdfast.authoring.documents.references import Path, Steps
from holdfast.core.policies import TaskOptions

DEFAULT: Final = "default"
"""The action of the edge that is taken if there is none for the action of the node."""
ERROR: Final = "error"
"""The action of a node that has failed."""

# --- who does the work of a node


class Http(msgspec.Struct, frozen=True, tag="http", omit_defaults=True):
    """Calls a worker: POST <its url>/exec/<service>."""

    max_attempts: int = 0
    """How many workers are called before the attempt has failed; 0: each worker once."""
    attempt_delay: dt.timedelta = dt.timedelta(0)
    weighted_by_load: bool = False


class Queue(msgspec.Struct, frozen=True, tag="queue"):
    """A worker fetches the task from the queue."""


class LocalFunction(msgspec.Struct, frozen=True, tag="local_func"):
    """A registered @task. Its first parameter gets the input, the others get params by name."""

    name: str


class LocalScript(msgspec.Struct, frozen=True, tag="local_script", omit_defaults=True):
    """A process that reads {"input", "params"} from its standard input and writes its result, as JSON."""

    command: tuple[str, ...]
    env: dict[str, str] = {}
    work_dir: str | None = None


FlowWork: TypeAlias = Http | Queue | LocalFunction | LocalScript

# --- what a node does


class ExecutorNode(msgspec.Struct, frozen=True, tag="executor", omit_defaults=True):
    work: FlowWork
    service: str = ""
    """For Http and Queue."""
    options: TaskOptions = TaskOptions()


class Case(msgspec.Struct, frozen=True):
    action: str
    condition: Part


class ChoiceNode(msgspec.Struct, frozen=True, tag="choice", omit_defaults=True):
    cases: tuple[Case, ...] = ()
    default_action: str | None = None


class Fan(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many branches run at once, and what a failure does to the others."""

    at_once: int | None = None
    """None: all of them; 1: one after the other."""
    strategy: str = "collect_errors"
    """`fail_fast`, `collect_errors` or `ignore_errors`"""


class ParallelNode(msgspec.Struct, frozen=True, tag="parallel", omit_defaults=True):
    work: FlowWork
    services: tuple[str, ...] = ()
    """Empty: those that `params.services` has at run time."""
    fan: Fan = Fan()
    options: TaskOptions = TaskOptions()


class ForeachNode(msgspec.Struct, frozen=True, tag="foreach", omit_defaults=True):
    work: FlowWork
    service: str = ""
    fan: Fan = Fan()
    options: TaskOptions = TaskOptions()


class SubflowNode(msgspec.Struct, frozen=True, tag="subflow"):
    flow: Flow


class CallNode(msgspec.Struct, frozen=True, tag="workflow"):
    """Another workflow, of any kind, as a child."""

    workflow: str


class TimerNode(msgspec.Struct, frozen=True, tag="timer"):
    """`params.delay_ms`"""


class EventNode(msgspec.Struct, frozen=True, tag="wait_event"):
    """`params.signal_key`, `params.timeout_ms`"""


class ApprovalNode(msgspec.Struct, frozen=True, tag="approval", omit_defaults=True):
    """`params.approval_key`, `params.timeout_ms`"""

    question: dict[str, Any] = {}
    """`title`, `facts`, `answer` and `by`, as they are written."""


NodeKind: TypeAlias = (
    ExecutorNode
    | ChoiceNode
    | ParallelNode
    | ForeachNode
    | SubflowNode
    | CallNode
    | TimerNode
    | EventNode
    | ApprovalNode
)

# --- the graph


class Prep(msgspec.Struct, frozen=True, omit_defaults=True):
    """The input of a node: one value, a map of values, or null."""

    input_key: Path | None = None
    input_map: dict[str, Path] | None = None


class Post(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the result of a node is written, and which action it leads to."""

    output_key: str | None = None
    output_map: dict[str, Steps] = {}
    action_static: str | None = None
    action_key: Steps | None = None


class FlowNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    key: str
    does: NodeKind
    params: dict[str, Any] = {}
    """Params of the run with the same names win."""
    prep: Prep = Prep()
    post: Post = Post()


class Flow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    start: str
    nodes: dict[str, FlowNode]
    edges: dict[str, dict[str, str]] = {}
    """From the key of a node and an action to the key of the next."""
    name: str = ""
    description: str = ""

    def next_of(self, node: str, action: str) -> str | None:
        """The node after it; None: the flow ends here."""
        edges = self.edges.get(node, {})
        return edges.get(action) or edges.get(DEFAULT)
