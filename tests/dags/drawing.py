"""Drawing a DAG: any graph of a few tasks of every kind, with everything that may be said about each.

What a task does is in its constant input `plan`, so that one function can stand for all of them.
"""

from __future__ import annotations

from random import Random
from typing import Any

MOST_TASKS = 9
NAMES = [f"t{number}" for number in range(MOST_TASKS)]


def draw_dag(dice: Random, name: str = "random") -> dict[str, Any]:
    """A DAG as its YAML would be read: nothing is wrong with it."""
    tasks: dict[str, Any] = {}
    for each in NAMES[: dice.randint(1, MOST_TASKS)]:
        tasks[each] = _draw_task(dice, each, tasks)
    dag: dict[str, Any] = {"name": name, "input": {"base": "int = 7"}, "tasks": tasks}
    if dice.random() < 0.3:
        dag["max_parallel"] = dice.randint(1, 3)
    return dag


def _draw_task(dice: Random, name: str, before: dict[str, Any]) -> dict[str, Any]:
    upstream = dice.sample(list(before), min(len(before), dice.choice((0, 1, 1, 2, 3))))
    task: dict[str, Any] = {}
    if upstream:
        task["depends_on"] = upstream
    if upstream and dice.random() < 0.25:
        task["on_failure"] = "run"
    if upstream and dice.random() < 0.25:
        task["when"] = _draw_condition(dice, dice.choice(upstream), before)
    kind = dice.choices(("work", "sleep", "signal", "approval", "call"), (12, 1, 1, 1, 2))[0]
    match kind:
        case "sleep":
            task["sleep"] = dice.choice((1, 30, 600))
        case "signal":
            task["wait_for_signal"] = f"for_{name}"
        case "approval":
            task["approval"] = dice.choice((True, "Really?"))
        case _:
            _draw_work(dice, task, upstream, before, is_call=kind == "call")
    return task


def _draw_condition(dice: Random, of: str, before: dict[str, Any]) -> str:
    if dice.random() < 0.5:
        status = dice.choice(("success", "failed", "skipped"))
        return f"tasks.{of}.status {dice.choice(('==', '!='))} '{status}'"
    if _gives_numbers(before[of]):
        return f"exists({of}.n) and {of}.n % 2 == {dice.randint(0, 1)}"
    return f"tasks.{of}.status in ['success', 'failed']"


def _gives_numbers(task: dict[str, Any]) -> bool:
    """Whether its output is an object with `n` and `items`, if it succeeds."""
    return "command" in task and "foreach" not in task and "parallel" not in task


def _draw_work(
    dice: Random, task: dict[str, Any], upstream: list[str], before: dict[str, Any], *, is_call: bool
) -> None:
    items = [dice.randint(0, 9) for _ in range(dice.randint(0, 4))]
    plan: dict[str, Any] = {"gives": dice.randint(0, 9), "items": items}
    numbers = [name for name in upstream if _gives_numbers(before[name])]
    fan_out = dice.choices(("none", "parallel", "count", "foreach"), (6, 1, 1, 2))[0]
    if fan_out == "parallel":
        task["parallel"] = dice.randint(1, 4)
    elif fan_out == "count" and numbers:
        task["parallel"] = f"{dice.choice(numbers)}.small"
    elif fan_out == "foreach" and numbers:
        task["foreach"] = f"{dice.choice(numbers)}.items"
    if ("parallel" in task or "foreach" in task) and dice.random() < 0.5:
        task["concurrency"] = dice.randint(1, 2)
    inputs: dict[str, Any] = {"plan": {"const": plan}, "base": {"ref": "input.base"}}
    for letter, name in zip("abc", upstream, strict=False):
        inputs[letter] = {"ref": name if dice.random() < 0.5 else f"tasks.{name}.output"}
    task["inputs"] = inputs
    if is_call:
        task["workflow"] = "called"
    else:
        task["command"] = "stands for the function"
        if dice.random() < 0.3:
            task["retries"] = {"max_attempts": 4, "first_delay": dice.choice((0, 1, 20)), "jitter": 0}
            plan["fails_at_first"] = dice.randint(1, 3)
        task["priority"] = dice.choice((0, 0, 5))
    if dice.random() < 0.15:
        plan["fails"] = dice.choice(("always", "until retried"))
        plan["fails_at"] = dice.sample(range(4), dice.randint(1, 4))
