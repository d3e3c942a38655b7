"""holdfast: workflows that survive crashes. Plain Python, YAML DAGs or flow graphs, over SQLite or Postgres.

Names are imported on first use. Otherwise a module of tasks, and every process that loads one, would also
load the engine, the stores and the YAML parser.
"""

from typing import TYPE_CHECKING

__all__ = [
    "AddressRefused",
    "AlertInfo",
    "AlertNotFound",
    "Answer",
    "AttemptInfo",
    "AuditEntry",
    "AuditInfo",
    "Backlog",
    "BadAnswer",
    "BadArchive",
    "BadDag",
    "BadFlow",
    "BadOption",
    "BadSecret",
    "BulkJob",
    "BulkPreview",
    "BulkReport",
    "Call",
    "CannotImport",
    "CannotStore",
    "Catalog",
    "Change",
    "ChangeKind",
    "ChapterInfo",
    "ChapterRefused",
    "ChildHandle",
    "Context",
    "DagWorkflow",
    "DeadlineExceeded",
    "DeadlineOver",
    "DeliveryFailed",
    "DeliveryInfo",
    "DeterminismError",
    "DoNotRetry",
    "Explanation",
    "Failure",
    "FailureInfo",
    "FailuresPage",
    "FlowWorkflow",
    "HistoryTooLong",
    "Holdfast",
    "HoldfastError",
    "ImportReport",
    "JobNotFound",
    "JobsPage",
    "JournalPage",
    "JournalStep",
    "KeyInfo",
    "KeyNotFound",
    "KeyRefused",
    "LogEntry",
    "LogLine",
    "MayNotAnswer",
    "MayOnlyLook",
    "MessageIdTaken",
    "MessageInfo",
    "NamespaceInfo",
    "NeededByParent",
    "NewKey",
    "NodeInfo",
    "NodeQueue",
    "NotAsked",
    "NotEnded",
    "NotOverHttp",
    "NotParked",
    "NotPermitted",
    "NotRunning",
    "OffsetGone",
    "PayloadTooLarge",
    "PromiseClosed",
    "PromiseSettled",
    "PruneReport",
    "QuestionInfo",
    "Queues",
    "Reason",
    "ReasonKind",
    "Refusal",
    "Refused",
    "Retry",
    "Role",
    "Run",
    "RunCancelled",
    "RunCount",
    "RunEnded",
    "RunExists",
    "RunFailed",
    "RunInfo",
    "RunNotFound",
    "RunSelection",
    "RunStats",
    "RunStatus",
    "RunsPage",
    "ScheduleInfo",
    "ScheduleNotFound",
    "ScheduleTaken",
    "SecretNotDeclared",
    "SecretNotFound",
    "SecretUnreadable",
    "ServerError",
    "ServerFailed",
    "ServerUnavailable",
    "ServiceQueue",
    "Signal",
    "SignalsRefused",
    "Slot",
    "StatsPoint",
    "StoreUnavailable",
    "StreamGap",
    "StreamInfo",
    "StreamItem",
    "StreamOverflow",
    "TakenItem",
    "Task",
    "TaskContext",
    "TaskError",
    "TaskHandle",
    "TaskInfo",
    "TaskLost",
    "TaskStatus",
    "TaskTimedOut",
    "TooManyRuns",
    "UnknownPromise",
    "UnknownWorkflow",
    "UpdateFailed",
    "UpdateRefused",
    "UpdateTimedOut",
    "UpdateUnanswered",
    "WaitingTask",
    "Workflow",
    "WrongType",
    "context",
    "load_dag",
    "load_flow",
    "task",
    "task_context",
    "update",
    "with_options",
    "workflow",
]

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.authoring.catalog import Catalog
    from holdfast.authoring.code.context import Answer, Context, context
    from holdfast.authoring.code.definitions import Task, Workflow, task, workflow
    from holdfast.authoring.code.handles import ChildHandle, TaskHandle
    from holdfast.authoring.code.updates import update
    from holdfast.authoring.dag.workflow import DagWorkflow, load_dag
    from holdfast.authoring.flow.workflow import FlowWorkflow, load_flow
    from holdfast.client.alerts import AlertInfo, DeliveryInfo
    from holdfast.client.archives import ImportReport
    from holdfast.client.audit import AuditEntry, AuditInfo
    from holdfast.client.backlogs import Backlog
    from holdfast.client.batches import Call
    from holdfast.client.bulk_jobs import BulkJob, BulkPreview, FailuresPage, JobsPage
    from holdfast.client.failures import FailureInfo
    from holdfast.client.fleet import NodeInfo, NodeQueue, Queues, ServiceQueue, Slot, TakenItem, WaitingTask
    from holdfast.client.keys import KeyInfo, NewKey
    from holdfast.client.logs import LogEntry, LogLine
    from holdfast.client.operators import MessageInfo
    from holdfast.client.questions import QuestionInfo
    from holdfast.client.retention import PruneReport
    from holdfast.client.run import AttemptInfo, ChapterInfo, Run, RunInfo, RunsPage, TaskInfo
    from holdfast.client.run_counts import RunCount
    from holdfast.client.run_reading import JournalPage
    from holdfast.client.schedules import ScheduleInfo
    from holdfast.client.selection import BulkReport, RunSelection
    from holdfast.client.signals import Signal
    from holdfast.client.stats import NamespaceInfo, RunStats, StatsPoint
    from holdfast.client.streams import StreamInfo, StreamItem
    from holdfast.core.bulk import Refusal
    from holdfast.core.changes import Change, ChangeKind
    from holdfast.core.explanations import Explanation, Reason, ReasonKind
    from holdfast.core.journal_views import JournalStep
    from holdfast.core.keys import Role
    from holdfast.core.policies import Retry
    from holdfast.core.run_options import with_options
    from holdfast.core.values import Failure, RunStatus, TaskStatus
    from holdfast.errors import (
        AddressRefused,
        AlertNotFound,
        BadAnswer,
        BadArchive,
        BadDag,
        BadFlow,
        BadOption,
        BadSecret,
        CannotImport,
        CannotStore,
        ChapterRefused,
        DeadlineExceeded,
        DeadlineOver,
        DeliveryFailed,
        DeterminismError,
        DoNotRetry,
        HistoryTooLong,
        HoldfastError,
        JobNotFound,
        KeyNotFound,
        KeyRefused,
        MayNotAnswer,
        MayOnlyLook,
        MessageIdTaken,
        NeededByParent,
        NotAsked,
        NotEnded,
        NotOverHttp,
        NotParked,
        NotPermitted,
        NotRunning,
        OffsetGone,
        PayloadTooLarge,
        PromiseClosed,
        PromiseSettled,
        Refused,
        RunCancelled,
        RunEnded,
        RunExists,
        RunFailed,
        RunNotFound,
        ScheduleNotFound,
        ScheduleTaken,
        SecretNotDeclared,
        SecretNotFound,
        SecretUnreadable,
        ServerError,
        ServerFailed,
        ServerUnavailable,
        SignalsRefused,
        StoreUnavailable,
        StreamGap,
        StreamOverflow,
        TaskError,
        TaskLost,
        TaskTimedOut,
        TooManyRuns,
        UnknownPromise,
        UnknownWorkflow,
        UpdateFailed,
        UpdateRefused,
        UpdateTimedOut,
        UpdateUnanswered,
        WrongType,
    )
    from holdfast.executors.context import TaskContext, task_context

    __version__: str
else:
    # Hidden from type checkers: for them a module with __getattr__ has every name, even a misspelt one.

    _NAMES_IN = {
        "app": ("Holdfast",),
        "authoring.catalog": ("Catalog",),
        "authoring.code.context": ("Answer", "Context", "context"),
        "authoring.code.definitions": ("Task", "Workflow", "task", "workflow"),
        "authoring.code.handles": ("ChildHandle", "TaskHandle"),
        "authoring.code.updates": ("update",),
        "authoring.dag.workflow": ("DagWorkflow", "load_dag"),
        "authoring.flow.workflow": ("FlowWorkflow", "load_flow"),
        "client.archives": ("ImportReport",),
        "client.alerts": ("AlertInfo", "DeliveryInfo"),
        "client.audit": ("AuditEntry", "AuditInfo"),
        "client.backlogs": ("Backlog",),
        "client.batches": ("Call",),
        "client.failures": ("FailureInfo",),
        "client.fleet": (
            "NodeInfo",
            "NodeQueue",
            "Queues",
            "ServiceQueue",
            "Slot",
            "TakenItem",
            "WaitingTask",
        ),
        "client.keys": ("KeyInfo", "NewKey"),
        "client.logs": ("LogEntry", "LogLine"),
        "client.operators": ("MessageInfo",),
        "client.questions": ("QuestionInfo",),
        "client.selection": ("BulkReport", "RunSelection"),
        "client.retention": ("PruneReport",),
        "client.bulk_jobs": (
            "BulkJob",
            "BulkPreview",
            "FailuresPage",
            "JobsPage",
        ),
        "core.bulk": ("Refusal",),
        "client.stats": (
            "NamespaceInfo",
            "RunStats",
            "StatsPoint",
        ),
        "client.run": ("AttemptInfo", "ChapterInfo", "Run", "RunInfo", "RunsPage", "TaskInfo"),
        "client.run_counts": ("RunCount",),
        "client.run_reading": ("JournalPage",),
        "client.schedules": ("ScheduleInfo",),
        "client.signals": ("Signal",),
        "client.streams": ("StreamInfo", "StreamItem"),
        "core.changes": ("Change", "ChangeKind"),
        "core.journal_views": ("JournalStep",),
        "core.explanations": ("Explanation", "Reason", "ReasonKind"),
        "core.keys": ("Role",),
        "core.policies": ("Retry",),
        "core.run_options": ("with_options",),
        "core.values": ("Failure", "RunStatus", "TaskStatus"),
        "errors": (
            "TooManyRuns",
            "JobNotFound",
            "AddressRefused",
            "AlertNotFound",
            "DeliveryFailed",
            "BadAnswer",
            "BadArchive",
            "BadDag",
            "BadFlow",
            "BadOption",
            "BadSecret",
            "CannotImport",
            "CannotStore",
            "ChapterRefused",
            "DeadlineExceeded",
            "DeadlineOver",
            "DeterminismError",
            "DoNotRetry",
            "HistoryTooLong",
            "HoldfastError",
            "KeyNotFound",
            "KeyRefused",
            "MayNotAnswer",
            "MayOnlyLook",
            "MessageIdTaken",
            "NeededByParent",
            "NotAsked",
            "NotEnded",
            "NotOverHttp",
            "NotParked",
            "NotPermitted",
            "NotRunning",
            "PayloadTooLarge",
            "PromiseClosed",
            "PromiseSettled",
            "Refused",
            "RunCancelled",
            "RunEnded",
            "RunExists",
            "RunFailed",
            "RunNotFound",
            "ScheduleNotFound",
            "ScheduleTaken",
            "SecretNotDeclared",
            "SecretNotFound",
            "SecretUnreadable",
            "ServerError",
            "ServerFailed",
            "ServerUnavailable",
            "SignalsRefused",
            "StoreUnavailable",
            "OffsetGone",
            "StreamGap",
            "StreamOverflow",
            "TaskError",
            "TaskLost",
            "TaskTimedOut",
            "UnknownPromise",
            "UnknownWorkflow",
            "UpdateFailed",
            "UpdateRefused",
            "UpdateTimedOut",
            "UpdateUnanswered",
            "WrongType",
        ),
        "executors.context": ("TaskContext", "task_context"),
    }
    _MODULE_OF = {name: module for module, names in _NAMES_IN.items() for name in names}

    def __getattr__(name):
        from importlib import import_module

        if name == "errors":  # the only module of ours that users name
            return import_module(f"{__name__}.errors")
        if name == "__version__":
            return import_module("importlib.metadata").version(__name__)
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        globals()[name] = found  # so that __getattr__ is called once for each name
        return found

    def __dir__():
        return sorted([*__all__, "__version__", "errors"])
