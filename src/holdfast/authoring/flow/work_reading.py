"""Reads how the work of a node is done, how often it is tried, and how its branches run."""

from __future__ import annotations

import datetime as dt

from holdfast.authoring.documents.field_values import environment, milliseconds, whole
from holdfast.authoring.documents.nodes import ListNode, MapNode, ScalarNode, describe_node, text_of, texts_of
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.flow.fields import (
    BEFORE_ARGUMENTS,
    COMMANDS,
    EXEC_TYPES,
    HTTP,
    LOCAL_FUNC,
    LOCAL_SCRIPT,
    NODE_FIELDS,
    ONLY_WITH,
    PARALLEL,
    QUEUE,
    listed,
)
from holdfast.authoring.flow.model import Fan, FlowWork, Http, LocalFunction, LocalScript, Queue
from holdfast.core.policies import NO_RETRY, Retry, TaskOptions


class WorkReader:
    """Reads one node that has work to do. Its shape is right, except for the fields in `broken`."""

    def __init__(self, kind: str, node: MapNode, title: str, owner: Position, problems: Problems) -> None:
        self._kind, self._node, self._title, self._owner = kind, node, title, owner
        self._problems = problems
        self._exec_type = text_of(node.get("exec_type")) or HTTP
        self.service = text_of(node.get("service"))

    def work(self) -> FlowWork | None:
        """None if something is wrong with it. The problem has been reported."""
        if "exec_type" in self._node.broken:
            return None
        fits = self._check_fields()
        if not self._has_what_it_needs(fits):
            return None
        match self._exec_type:
            case "queue":
                return Queue()
            case "local_func":
                return LocalFunction(text_of(self._node.get("func")) or self.service)
            case "local_script":
                script = self._node.get("script")
                return self._script(script) if isinstance(script, MapNode) else None
            case _:
                return self._http()

    def _check_fields(self) -> bool:
        """Whether all fields are for this exec_type."""
        fits = True
        for field, (key, _) in self._node.entries.items():
            types = ONLY_WITH.get(field, EXEC_TYPES)
            if self._exec_type in types or not NODE_FIELDS[field].is_for(self._kind):
                continue
            fits = False
            if "exec_type" in self._node.entries:
                reason = f"{field} does not go with exec_type {self._exec_type}; it is for {listed(types)}"
            else:
                reason = f"{field} needs exec_type: {' or '.join(types)}; it is {HTTP} if not given"
            self._problems.add(key.position, reason)
        return fits

    def _has_what_it_needs(self, fits: bool) -> bool:
        there = self._node.entries.keys() | self._node.broken
        needed: tuple[str, ...] = ()
        if self._exec_type == LOCAL_SCRIPT:
            needed = ("script",)
        elif self._kind != PARALLEL:  # whose branches have a service each
            needed = ("func", "service") if self._exec_type == LOCAL_FUNC else ("service",)
        if not needed or not there.isdisjoint(needed):
            return fits
        if fits:
            reason = (
                f"{' or '.join(needed)} is missing in {self._title}: exec_type {self._exec_type} needs it"
            )
            self._problems.add(self._owner, reason)
        return False

    def _http(self) -> Http | None:
        weighted = self._node.get("weighted_by_load")
        if weighted is not None and not (
            isinstance(weighted, ScalarNode) and isinstance(weighted.value, bool)
        ):
            reason = f"weighted_by_load must be true or false, not {describe_node(weighted)}"
            self._problems.add(weighted.position, reason)
            return None
        return Http(
            max_attempts=whole(self._node.get("max_attempts")),
            attempt_delay=milliseconds(self._node.get("attempt_delay_ms")),
            weighted_by_load=weighted is not None and weighted.value is True,
        )

    # --- scripts

    def _script(self, script: MapNode) -> LocalScript:
        args = script.get("args")
        listed = args.items if isinstance(args, ListNode) else []
        arguments = [item.text for item in listed if isinstance(item, ScalarNode)]
        language = text_of(script.get("language"))
        if language:
            command = [*COMMANDS[language], text_of(script.get("code"))]
            if arguments and language in BEFORE_ARGUMENTS:
                command.append(BEFORE_ARGUMENTS[language])
        else:
            command = [text_of(script.get("cmd"))]
        work_dir = text_of(script.get("work_dir"))
        return LocalScript(
            (*command, *arguments), environment(script.get("env"), self._problems), work_dir or None
        )

    # --- options

    def options(self) -> TaskOptions:
        is_asked_for = self._exec_type == QUEUE and self._kind != PARALLEL
        return TaskOptions(
            retry=self._retry(),
            timeout=self._timeout(),
            secrets=self._secrets(),
            service=(self.service or None) if is_asked_for else None,
        )

    def _secrets(self) -> tuple[str, ...]:
        script = self._node.get("script")
        if not isinstance(script, MapNode) or self._exec_type != LOCAL_SCRIPT:
            return ()
        return texts_of(script.get("secrets"))

    def _retry(self) -> Retry:
        times = whole(self._node.get("max_retries"))
        if not times:
            return NO_RETRY
        wait = milliseconds(self._node.get("wait_ms"))
        return Retry(max_attempts=times + 1, first_delay=wait, factor=1.0, jitter=0.0)

    def _timeout(self) -> dt.timedelta | None:
        script = self._node.get("script")
        inner = script.get("timeout_ms") if isinstance(script, MapNode) else None
        outer = self._node.get("timeout_ms")
        if inner is not None and outer is not None:
            reason = "timeout_ms and script.timeout_ms mean the same; only one of them can be given"
            self._problems.add(outer.position, reason)
        given = inner if outer is None else outer
        return None if given is None or self._exec_type == QUEUE else milliseconds(given)

    def fan(self) -> Fan:
        mode, most = text_of(self._node.get("parallel_mode")), self._node.get("max_parallel")
        count, is_concurrent = whole(most), mode == "concurrent"
        strategy = text_of(self._node.get("failure_strategy")) or Fan().strategy
        return Fan((count or None) if is_concurrent else 1, strategy)
