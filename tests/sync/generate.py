"""Writes src/holdfast/sync/calls.py from the async classes: `python -m tests.sync.generate`.

Each public `async def` of a class becomes a method that waits, with the same parameters, overloads and
docstring. What `holdfast.sync` leaves out is named here, with the reason, so that no call is forgotten.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

SOURCE = Path(__file__).parents[2] / "src" / "holdfast"
TARGET = SOURCE / "sync" / "calls.py"

LEFT_OUT: Final = {
    "Client.key_of": "for handles and the HTTP API",
    "RunReading.list_tasks": "for handles and the HTTP API",
    "Client.preview_input": "for the command line",
    "Keys.close": "Holdfast.close does it",
    "Audit.close": "Holdfast.close does it",
    "Holdfast.open": "holdfast.py",
    "Holdfast.close": "holdfast.py",
    "Holdfast.serve": "needs the signals of the main thread: `holdfast serve`, or the async class",
}


class Part(NamedTuple):
    name: str
    """Of the class in calls.py."""
    sources: tuple[tuple[str, str], ...]
    """Modules and classes that it is made of."""
    inner: str
    """The type of what its calls are handed to."""
    begin: str
    """Its body before the calls."""


PARTS: Final = (
    Part(
        "Run",
        (("client/run.py", "Run"),),
        "AsyncRun[R]",
        """
        @property
        def id(self) -> str:
            return self.inner.id

        @property
        def key(self) -> RunKey:
            return self.inner.key

        def __repr__(self) -> str:
            return repr(self.inner)
        """,
    ),
    Part("Schedules", (("client/schedules.py", "Schedules"),), "AsyncSchedules", ""),
    Part("Alerts", (("client/alerts.py", "Alerts"),), "AsyncAlerts", ""),
    Part("Flows", (("client/flows.py", "Flows"),), "AsyncFlows", ""),
    Part("Keys", (("client/keys.py", "Keys"),), "AsyncKeys", ""),
    Part("Audit", (("client/audit.py", "Audit"),), "AsyncAudit", ""),
    Part("WorkflowVersions", (("client/workflows.py", "WorkflowVersions"),), "AsyncWorkflowVersions", ""),
    Part("BulkJobs", (("client/bulk_jobs.py", "BulkJobs"),), "AsyncBulkJobs", ""),
    Part("RunSelection", (("client/selection.py", "RunSelection"),), "AsyncRunSelection", ""),
    Part(
        "ClientCalls",
        (
            ("client/signalling.py", "RunSignals"),
            ("client/updating.py", "RunUpdates"),
            ("client/run_changes.py", "RunChanges"),
            ("client/run_reading.py", "RunReading"),
            ("client/run_views.py", "RunViews"),
            ("client/run_graphs.py", "RunGraphs"),
            ("client/run_listing.py", "RunListing"),
            ("client/run_points.py", "RunPointListing"),
            ("client/namespace_reading.py", "NamespaceReading"),
            ("client/batches.py", "RunBatches"),
            ("client/client.py", "Client"),
            ("app.py", "Holdfast"),
        ),
        "AsyncHoldfast",
        """
        @property
        def schedules(self) -> Schedules:
            return Schedules(self.inner.schedules, self._thread)

        @property
        def alerts(self) -> Alerts:
            return Alerts(self.inner.alerts, self._thread)

        @property
        def flows(self) -> Flows:
            return Flows(self.inner.flows, self._thread)

        @property
        def keys(self) -> Keys:
            return Keys(self.inner.keys, self._thread)

        @property
        def audit(self) -> Audit:
            return Audit(self.inner.audit, self._thread)

        @property
        def workflows(self) -> WorkflowVersions:
            return WorkflowVersions(self.inner.workflows, self._thread)

        @property
        def bulk(self) -> BulkJobs:
            return BulkJobs(self.inner.bulk, self._thread)

        def select(self, **conditions: Unpack[RunConditions]) -> RunSelection:
            \"\"\"Many runs at once: count them, then cancel, terminate, pause, resume, retry or delete
            them or end their backoffs.\"\"\"

            async def select() -> AsyncRunSelection:
                return self.inner.select(**conditions)

            return RunSelection(self._thread.call(select), self._thread)
        """,
    ),
)

HEADER = '''\
"""The calls of `holdfast.sync`. Generated from the async classes by tests/sync/generate.py: do not edit."""

from __future__ import annotations

IMPORTS
from holdfast.app import Holdfast as AsyncHoldfast
from holdfast.client.alerts import Alerts as AsyncAlerts
from holdfast.client.audit import Audit as AsyncAudit
from holdfast.client.bulk_jobs import BulkJobs as AsyncBulkJobs
from holdfast.client.flows import Flows as AsyncFlows
from holdfast.client.keys import Keys as AsyncKeys
from holdfast.client.run import Run as AsyncRun
from holdfast.client.schedules import Schedules as AsyncSchedules
from holdfast.client.selection import RunSelection as AsyncRunSelection
from holdfast.client.workflows import WorkflowVersions as AsyncWorkflowVersions
from holdfast.core.values import RunKey
from holdfast.sync.loop_thread import LoopThread

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def _known(run: Any) -> Any:
    """The handle that the async class knows. An id stays what it is."""
    return cast("Run[Any]", run).inner if isinstance(run, Run) else run
'''


class _Annotations(ast.NodeTransformer):
    """Annotations of the async class, as those of the class that waits."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        # A class may have a method of that name.
        return ast.parse("builtins.list", mode="eval").body if node.id == "list" else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return node  # builtins.list

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == "Awaitable":
            return node.slice
        if isinstance(node.value, ast.Name) and node.value.id == "AsyncIterator":
            return ast.Subscript(ast.Name("Iterator"), node.slice)
        self.generic_visit(node)
        return node


def generate() -> str:
    names: set[str] = {"Any", "Generic", "ParamSpec", "TypeVar", "cast", "overload", "builtins"}
    known: dict[str, str] = {
        "Generic": "from typing import Generic",
        "ParamSpec": "from typing import ParamSpec",
        "cast": "from typing import cast",
        "Iterator": "from collections.abc import Iterator",
        "builtins": "import builtins",
    }
    classes: list[str] = []
    for part in PARTS:
        body: list[str] = []
        for path, name in part.sources:
            module = ast.parse((SOURCE / path).read_text(encoding="utf-8"))
            known |= _imports(path, module)
            [found] = [it for it in module.body if isinstance(it, ast.ClassDef) and it.name == name]
            for method in found.body:
                if _is_call(method) and f"{name}.{method.name}" not in LEFT_OUT:
                    body.append(ast.unparse(_waiting(method)))
                    names |= _names_in(body[-1])
        classes.append(_class_of(part, body))
    imports = sorted({known[name] for name in names if name in known})
    return HEADER.replace("IMPORTS", "\n".join(imports)) + "\n\n" + "\n\n".join(classes)


def _is_call(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef):
        return not node.name.startswith("_") and "Awaitable" in ast.unparse(node.returns or ast.Pass())
    if not isinstance(node, ast.AsyncFunctionDef) or node.name.startswith("_"):
        return False
    return not any(ast.unparse(each) == "abstractmethod" for each in node.decorator_list)


def _waiting(method: ast.AsyncFunctionDef | ast.FunctionDef) -> ast.FunctionDef:
    arguments, returns = method.args, method.returns
    assert returns is not None
    declared = ast.unparse(returns)
    passed, target = ", ".join(_passed(arguments)), f"self.inner.{method.name}"
    call = f"lambda: {target}({passed})" if passed else target
    if any(ast.unparse(each) == "overload" for each in method.decorator_list):
        body = ast.parse("...").body
    elif "AsyncIterator" in declared:
        body = ast.parse(f"return self._thread.iterate({call})").body
    elif declared.startswith("Run["):
        body = ast.parse(f"return Run(self._thread.call({call}), self._thread)").body
    elif "list[Run[" in declared:
        runs = f"self._thread.call({call})"
        body = ast.parse(f"return [Run(run, self._thread) for run in {runs}]").body
    else:
        body = ast.parse(f"return self._thread.call({call})").body
    told = ast.get_docstring(method, clean=False)
    if told is not None:
        body.insert(0, ast.Expr(ast.Constant(told)))
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg) and each.annotation is not None:
            each.annotation = _Annotations().visit(each.annotation)
    made = ast.FunctionDef(method.name, arguments, body, method.decorator_list, _Annotations().visit(returns))
    return ast.fix_missing_locations(made)


def _passed(arguments: ast.arguments) -> list[str]:
    """The arguments as the method hands them on."""

    def plain(given: ast.arg) -> str:
        annotation = "" if given.annotation is None else ast.unparse(given.annotation)
        if "tuple[Run[" in annotation:
            return f"[(_known(run), rest) for run, rest in {given.arg}]"
        return f"_known({given.arg})" if "Run[" in annotation else given.arg

    positional = [*arguments.posonlyargs, *arguments.args][1:]
    passed = [plain(each) for each in positional]
    passed += [f"*{arguments.vararg.arg}"] if arguments.vararg is not None else []
    passed += [f"{each.arg}={plain(each)}" for each in arguments.kwonlyargs]
    return passed + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg is not None else [])


def _class_of(part: Part, body: list[str]) -> str:
    base = "(Generic[R])" if "[R]" in part.inner else ""
    begin = f"""
        def __init__(self, inner: {part.inner}, thread: LoopThread) -> None:
            self.inner = inner
            self._thread = thread
        {part.begin}"""
    lines = [line.removeprefix("    ") for line in begin.splitlines()]
    for method in body:
        lines += ["", *("    " + line if line else "" for line in method.splitlines())]
    return f"class {part.name}{base}:\n" + "\n".join(lines) + "\n"


def _imports(path: str, module: ast.Module) -> dict[str, str]:
    """The names of a module, each with the line that imports it."""
    here = "holdfast." + path.removesuffix(".py").replace("/", ".")
    found = {it.name: f"from {here} import {it.name}" for it in module.body if isinstance(it, ast.ClassDef)}
    for node in module.body:
        if isinstance(node, ast.ImportFrom):
            found |= {each.name: f"from {node.module} import {each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {
                each.asname or each.name: f"import {each.name}"
                + (f" as {each.asname}" if each.asname else "")
                for each in node.names
            }
    return {
        name: line
        for name, line in found.items()
        if name
        not in (
            "Run",
            "Schedules",
            "Alerts",
            "Flows",
            "Keys",
            "Audit",
            "BulkJobs",
            "RunSelection",
            "Holdfast",
        )
    }


def _names_in(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def formatted(text: str) -> str:
    """As ruff leaves it."""
    for command in (["check", "--select", "I,UP", "--fix-only"], ["format"]):
        line = [sys.executable, "-m", "ruff", *command, "--quiet", "--stdin-filename", str(TARGET), "-"]
        text = subprocess.run(line, input=text, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    TARGET.write_text(formatted(generate()), encoding="utf-8")
