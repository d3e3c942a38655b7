"""What must become of a flow, worked out one node after the other over the plain document.

A run that fails is retried as often as it is told, so there is an ending for each time. It knows nothing of
how holdfast does it: no journal, no commands, no tasks. Whatever comes from outside is in a script.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.flows.lookup import at, holds, inside
from tests.flows.services import CALLED, Refused, serve
from tests.flows.signals import SHORT_MS, Signals, rescue

YES = ("true", "yes", "y", "ok", "approve", "approved", "accept", "accepted")
NO = ("false", "no", "n", "reject", "rejected", "deny", "denied", "decline", "declined")


class Visit:
    """A row that people see: of a node, each time that it was visited or opened again."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.status = "open"
        self.action = ""

    def end(self, status: str, action: str = "") -> None:
        self.status, self.action = status, action


class Ending(NamedTuple):
    status: str
    shared: dict[str, Any]
    visits: list[tuple[str, str, str]]
    """Path, status and action, in the order in which they were begun."""
    at: str
    action: str
    steps: int


class _Over(Exception):
    """It is not retried any more."""


class _Again(Exception):
    """The run has ended here, and was opened again here."""


class _Failed(Exception):
    def __init__(self, message: str, *, action: str | None = None, results: list[Any] | None = None) -> None:
        super().__init__(message)
        self.action = action
        self.results = results


class _Frame:
    def __init__(
        self, flow: dict[str, Any], params: dict[str, Any], prefix: str, visit: Visit | None
    ) -> None:
        self.nodes: dict[str, Any] = flow["nodes"]
        self.edges: dict[tuple[str, str], str] = {
            (each["from"], each.get("action") or "default"): each["to"] for each in flow.get("edges", ())
        }
        self.params = params
        self.prefix = prefix
        self.visit = visit
        self.at: str = flow["start"]
        self.shared: dict[str, Any] = {}
        self.written: dict[str, int] = {}

    def way_after_failure(self, own: str | None) -> str | None:
        return next(
            (each for each in ("error", own, "default") if each and (self.at, each) in self.edges), None
        )


class _Place(NamedTuple):
    """One visit of one node: what it has, and what it keeps over a retry."""

    frame: _Frame
    node: dict[str, Any]
    path: str
    params: dict[str, Any]
    input: Any
    kept: dict[str, Any]

    @property
    def seen(self) -> dict[str, Any]:
        return {"params": self.params, "shared": self.frame.shared, "input": self.input}


class Interpreter:
    def __init__(
        self,
        flow: dict[str, Any],
        params: dict[str, Any],
        signals: Signals,
        *,
        retries: int = 0,
        max_steps: int = 40,
        waits_only: bool = False,
    ) -> None:
        """`waits_only`: signals come only while it waits for one."""
        self._signals = signals
        self._retries = retries
        self._max_steps = self._limit = max_steps
        self._waits_only = waits_only
        self._steps = self._writes = 0
        self._action = ""
        self._visits: list[Visit] = []
        self._satisfied: dict[str, int] = {}
        self._frames: list[_Frame] = []
        self.endings: list[Ending] = []
        """How it ended at first, and after each retry."""
        self.entered: Counter[str] = Counter()
        """How often it came to each node, by path; what is done again in a retry is not counted."""
        self.heard: dict[tuple[int, int], list[tuple[str, Any]]] = {}
        """The signals that it has heard while it waited for one, by how often it was retried and its step."""
        try:
            self._run(_Frame(flow, params, "", None))
            self._end("success")
        except _Over:
            pass

    # --- runs

    def _end(self, status: str) -> None:
        """Of the run; it goes on if it is retried. Raises _Over."""
        for each in self._visits:
            if each.status == "open":
                each.end(*(("failed", "error") if status == "failed" else ("cancelled",)))
        frame = self._frames[-1]
        node = "" if status == "success" else frame.prefix + frame.at
        visits = [(each.path, each.status, each.action) for each in self._visits]
        shared = copy.deepcopy(self._frames[0].shared)
        self.endings.append(Ending(status, shared, visits, node, self._action, self._steps))
        if status == "success" or len(self.endings) > self._retries:
            raise _Over
        self._limit = self._steps + self._max_steps
        for each in self._frames[1:]:
            each.visit = self._show(each.prefix.removesuffix("/"))

    @property
    def _retried(self) -> int:
        return len(self.endings)

    def _show(self, path: str) -> Visit:
        self._visits.append(Visit(path))
        return self._visits[-1]

    # --- flows

    def _run(self, frame: _Frame) -> None:
        """One flow to its end. Raises _Failed if one around it deals with that."""
        self._frames.append(frame)
        following: str | None = frame.at
        while following is not None:
            frame.at = following
            following = self._go_through(frame)

    def _descend(self, place: _Place) -> tuple[Any, str]:
        frame = _Frame(place.node["subflow"], place.params, place.path + "/", self._show(place.path))
        try:
            self._run(frame)
        except _Failed:
            self._row_of(frame).end("failed", "error")
            raise
        finally:
            self._frames.remove(frame)
        value, action = _with_action(place, frame.shared)
        self._row_of(frame).end("success", action)
        return value, action

    def _row_of(self, frame: _Frame) -> Visit:
        """Another one than at first, if it was opened again while it was under way."""
        assert frame.visit is not None
        return frame.visit

    def _go_through(self, frame: _Frame) -> str | None:
        """Visit the node that it is at. The key of the next one."""
        while self._steps >= self._limit:
            self._end("failed")
        self._steps += 1
        node = frame.nodes[frame.at]
        self.entered[frame.prefix + frame.at] += 1
        params = {**node.get("params", {}), **frame.params}
        seen = {"params": params, "shared": frame.shared}
        place = _Place(frame, node, frame.prefix + frame.at, params, _input(node, seen), {})
        while True:
            try:
                value, action = self._visit(place)
            except _Again:
                continue
            except _Failed as failure:
                if failure.results is not None:
                    self._keep(place, failure.results)
                way = frame.way_after_failure(failure.action)
                if way is not None:
                    self._action = "error" if way == "default" else way
                    return frame.edges[frame.at, way]
                if any(each.way_after_failure(None) for each in self._frames[:-1]):
                    raise _Failed(str(failure)) from None
                self._action = "error"
                self._end("failed")
            else:
                self._keep(place, value)
                self._action = action
                return frame.edges.get((frame.at, action)) or frame.edges.get((frame.at, "default"))

    def _keep(self, place: _Place, value: Any) -> None:
        post = place.node.get("post", {})
        for key, path in post.get("output_map", {}).items():
            self._write(place.frame, key, inside(value, path))
        if "output_key" in post:
            self._write(place.frame, post["output_key"], value)

    def _write(self, frame: _Frame, key: str, value: Any) -> None:
        self._writes += 1
        frame.shared[key] = value
        frame.written[key] = self._writes

    # --- nodes

    def _visit(self, place: _Place) -> tuple[Any, str]:
        """What the node gives, and its action. Raises _Failed, _Again."""
        if "subflow" in place.node:
            return self._descend(place)
        visit = place.kept.get("task") or self._show(place.path)
        visit.status = "open"
        if place.node["kind"] == "executor":
            place.kept["task"] = visit  # it is the same task that is tried again
        try:
            value, action = self._do(place)
        except _Failed:
            visit.end("failed", "error")
            raise
        visit.end("success", action)
        return value, action

    def _do(self, place: _Place) -> tuple[Any, str]:
        match place.node["kind"]:
            case "executor":
                self._listen()
                return _with_action(place, self._serve(place, _service(place.node), place.input))
            case "choice":
                return place.input, self._choose(place)
            case "parallel" | "foreach":
                return _with_action(place, self._fan_out(place))
            case "timer":
                self._span(place, "delay_ms")
                self._listen()
                return _with_action(place, place.input)
            case "subflow":
                return _with_action(place, self._call(place))
            case _:
                return self._await(place)

    def _serve(self, place: _Place, service: str, input: Any) -> Any:
        reason = ""
        for attempt in range(1, place.node.get("max_retries", 0) + 2):
            try:
                return serve(service, input, place.params, attempt=attempt, retried=self._retried)
            except Refused as error:
                reason = str(error)
        raise _Failed(reason)

    def _call(self, place: _Place) -> Any:
        workflow = place.node["workflow"]
        if workflow not in CALLED:
            raise _Failed("there is no such workflow")
        if not isinstance(place.input, dict | None):
            raise _Failed("a workflow takes a map")
        self._listen()
        try:
            return serve(workflow, place.input or {}, {}, retried=self._retried)
        except Refused as error:
            raise _Failed(str(error)) from None

    def _choose(self, place: _Place) -> str:
        for case in place.node.get("choice_cases", ()):
            if holds(case["expr"], place.seen):
                return case["action"]
        key = place.node.get("post", {}).get("action_key")
        found = [inside(each, key) for each in (place.input, place.frame.shared)] if key else []
        return next((each for each in found if isinstance(each, str) and each), "") or place.node.get(
            "default_action", ""
        )

    def _fan_out(self, place: _Place) -> list[Any]:
        node = place.node
        if node["kind"] == "foreach":
            if not isinstance(place.input, list):
                raise _Failed("no list")
            branches = [(_service(node), each) for each in place.input]
        else:
            services = node.get("parallel_services") or place.params.get("services")
            if not services:
                raise _Failed("no services")
            branches = [(_service(node) or each, place.input) for each in services]
        if branches:
            self._listen()
        results: list[Any] = []
        failures: list[str] = []
        for service, input in branches:
            try:
                results.append(self._serve(place, service, input))
            except _Failed as failure:
                results.append(None)
                failures.append(str(failure))
        strategy = node.get("failure_strategy", "collect_errors")
        if failures and strategy != "ignore_errors":
            raise _Failed("; ".join(failures), results=results if strategy == "collect_errors" else None)
        return results

    # --- waiting

    def _span(self, place: _Place, name: str) -> float | None:
        value = place.params.get(name)
        if value is not None and (not isinstance(value, int | float) or isinstance(value, bool) or value < 0):
            raise _Failed(f"{name} is {value!r}")
        return value

    def _await(self, place: _Place) -> tuple[Any, str]:
        is_approval = place.node["kind"] == "approval"
        path: str = place.params.get("approval_key" if is_approval else "signal_key") or place.frame.at
        limit = self._span(place, "timeout_ms")
        found: list[Any] = []

        def is_there() -> bool:
            value = self._look(place, path, is_approval=is_approval)
            if value is not None:
                found.append(value)
            return value is not None

        if not is_there():
            if path.startswith("$params"):
                raise _Failed("none can come")
            if limit != SHORT_MS:
                self._listen(is_there)
            if not found and not limit:
                self._hear(*rescue(path), is_waiting=True)
                assert is_there()
        if not found:
            raise _Failed("nothing came", action=place.node.get("post", {}).get("action_static"))
        self._satisfied[place.path] = self._writes
        if not is_approval:
            return _with_action(place, found[0])
        return found[0], self._decision(place, found[0])

    def _look(self, place: _Place, path: str, *, is_approval: bool) -> Any:
        if path.startswith("$params"):
            value = at(path, place.seen)
            return None if value in (None, "") or (value is False and not is_approval) else value
        since = self._satisfied.get(place.path, 0)
        path = path.removeprefix("$shared.")
        for frame in reversed(self._frames):
            value = inside(frame.shared, path)
            is_nothing = value is None or value == "" or (value is False and not is_approval)
            if not is_nothing and frame.written.get(path.partition(".")[0], 0) > since:
                return value
        return None

    def _decision(self, place: _Place, value: Any) -> str:
        post = place.node.get("post", {})
        if isinstance(value, dict) and "action_key" in post:
            value = inside(value, post["action_key"])
        if isinstance(value, bool):
            return "approved" if value else "rejected"
        if isinstance(value, str) and value:
            word = value.strip().lower()
            return "approved" if word in YES else "rejected" if word in NO else value
        if "action_static" in post:
            return post["action_static"]
        raise _Failed("neither yes nor no")

    def _listen(self, is_there: Callable[[], bool] | None = None) -> None:
        """Hear what comes while it is at this node. Raises _Again."""
        if self._waits_only and is_there is None:
            return
        retried, step = self._retried, self._steps
        for key, value in self._signals.at(retried, step):
            self._hear(key, value, is_waiting=is_there is not None)
            if is_there is not None and is_there():
                return
        if self._signals.cancels(retried, step):
            self._end("cancelled")
            raise _Again

    def _hear(self, key: str, value: Any, *, is_waiting: bool) -> None:
        if is_waiting:
            self.heard.setdefault((self._retried, self._steps), []).append((key, value))
        if not key.startswith("$"):
            self._write(self._frames[0], key, value)


def _input(node: dict[str, Any], seen: dict[str, Any]) -> Any:
    prep = node.get("prep", {})
    if "input_map" in prep:
        return {name: at(path, seen) for name, path in prep["input_map"].items()}
    return at(prep["input_key"], seen) if "input_key" in prep else None


def _with_action(place: _Place, value: Any) -> tuple[Any, str]:
    return value, _action(place.node, value)


def _service(node: dict[str, Any]) -> str:
    """Empty if each branch has its own."""
    if "script" in node:
        return node["script"]["cmd"]
    return node.get("func") or node.get("service") or ""


def _action(node: dict[str, Any], value: Any) -> str:
    post = node.get("post", {})
    if "action_static" in post:
        return post["action_static"]
    found = inside(value, post["action_key"]) if "action_key" in post else ""
    return found if isinstance(found, str) else ""
