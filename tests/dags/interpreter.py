"""What must become of a DAG, worked out one task after the other in plain Python."""

from __future__ import annotations

from typing import Any, NamedTuple


class Broken(Exception):
    pass


class Ended(NamedTuple):
    status: str
    output: Any


def work(plan: dict[str, Any], given: dict[str, Any], index: int, *, is_retried: bool) -> dict[str, Any]:
    """What the function of every task does. Raises Broken."""
    fails = plan.get("fails")
    if index in plan.get("fails_at", ()) and (fails == "always" or (fails and not is_retried)):
        raise Broken(f"as planned for {index}")
    total = plan["gives"] + sum(_weigh(value) for name, value in sorted(given.items()) if name != "plan")
    return {"n": total + index, "items": plan["items"], "small": total % 4}


def _weigh(value: Any) -> int:
    """A number that depends on all of a value."""
    match value:
        case None:
            return 1
        case bool() | int():
            return int(value)
        case str():
            return len(value)
        case list():
            return sum((place + 2) * _weigh(each) for place, each in enumerate(value))
        case dict():
            return sum(_weigh(key) * _weigh(value[key]) for key in sorted(value))
        case _:
            raise TypeError(value)


def _fans_out(task: dict[str, Any]) -> bool:
    return "foreach" in task or "parallel" in task


class Interpreter:
    """`before` is what came of it until an operator tried it again: what succeeded then stays, what was begun
    is done again with what it was given then, and what was broken until then is not any more."""

    def __init__(self, dag: dict[str, Any], before: Interpreter | None = None) -> None:
        self._dag = dag
        self._before = before
        self._given: dict[str, list[dict[str, Any]]] = {}
        """By task that was begun, what each of its items was given."""
        self.ended: dict[str, Ended] = {}
        for name, task in dag["tasks"].items():
            self.ended[name] = self._run(name, task)

    @property
    def status(self) -> str:
        return "failed" if any(each.status == "failed" for each in self.ended.values()) else "success"

    @property
    def output(self) -> dict[str, Any]:
        needed = {name for task in self._dag["tasks"].values() for name in task.get("depends_on", ())}
        return {name: each.output for name, each in self.ended.items() if name not in needed}

    def _run(self, name: str, task: dict[str, Any]) -> Ended:
        before = None if self._before is None else self._before.ended[name]
        if before is not None and before.status == "success":
            return before
        if self._before is not None and name in self._before._given:
            return self._do(name, task, self._before._given[name])
        upstream = [self.ended[each] for each in task.get("depends_on", ())]
        is_bad = any(each.status != "success" for each in upstream)
        if is_bad and task.get("on_failure") != "run":
            return Ended("skipped", [] if _fans_out(task) else None)
        if "when" in task and not self._holds(task["when"]):
            return Ended("skipped", [] if _fans_out(task) else None)
        if "sleep" in task:
            return Ended("success", None)
        if "wait_for_signal" in task:
            return Ended("success", f"signal for {name}")
        if "approval" in task:
            return Ended("success", True)
        items = self._items(task)
        if items is None:
            return Ended("failed", [])
        return self._do(name, task, [self._inputs(task, item) for item in items])

    def _do(self, name: str, task: dict[str, Any], given: list[dict[str, Any]]) -> Ended:
        self._given[name] = given
        plan = task["inputs"]["plan"]["const"]
        outputs: list[Any] = []
        has_failed = False
        for index, each in enumerate(given):
            try:
                outputs.append(work(plan, each, index, is_retried=self._before is not None))
            except Broken:
                outputs.append(None)
                has_failed = True
        return Ended("failed" if has_failed else "success", outputs if _fans_out(task) else outputs[0])

    def _inputs(self, task: dict[str, Any], item: Any) -> dict[str, Any]:
        given = {name: self._value(source) for name, source in task["inputs"].items() if name != "plan"}
        if "workflow" not in task and "foreach" in task:
            given["item"] = item
        return given

    def _items(self, task: dict[str, Any]) -> list[Any] | None:
        """None: what it should fan out over is not there."""
        if "foreach" in task:
            found = self._value({"ref": task["foreach"]})
            return found if isinstance(found, list) else None
        count = task.get("parallel", 1)
        if isinstance(count, str):
            count = self._value({"ref": count})
        return [None] * count if isinstance(count, int) else None

    def _value(self, source: dict[str, Any]) -> Any:
        path = source["ref"].removeprefix("tasks.").replace(".output", "").split(".")
        if path[0] == "input":
            return 7
        ended = self.ended[path[0]]
        value = ended.output
        for step in path[1:]:
            if value is None:
                return None
            value = value[step]
        return value

    def _holds(self, condition: str) -> bool:
        if condition.startswith("exists"):
            name = condition.partition("(")[2].partition(".")[0]
            output = self.ended[name].output
            return output is not None and output["n"] % 2 == int(condition[-1])
        name = condition.split(".")[1]
        status = self.ended[name].status
        if " in " in condition:
            return status in ("success", "failed")
        wanted = condition.rpartition(" ")[2].strip("'")
        return (status == wanted) == ("==" in condition)
