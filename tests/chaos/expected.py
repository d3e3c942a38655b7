"""How a run of each workload must end, computed from its input alone."""

from __future__ import annotations

from typing import Any, NamedTuple


class Expected(NamedTuple):
    result: Any
    """None if the result depends on what clients do. Other checks cover those workflows."""
    labels: set[str]
    """Tasks that must have been done at least once when the run has ended like this."""
    status: str = "success"
    never: frozenset[str] = frozenset()
    """Tasks that are skipped and must never begin."""


def expected(workflow: str, input: Any) -> Expected:
    """How a run of that workflow with these arguments must end."""
    who: str = input["who"]
    match workflow:
        case "sequence":
            return _labelled(who, [str(number) for number in range(input["steps"])])
        case "fan_out":
            return _labelled(who, [*(str(number) for number in range(input["width"])), "join"])
        case "family":
            return Expected(_family_result(who, input["depth"], input["width"]), {"first"})
        case "naps":
            return _labelled(who, [str(number) for number in range(len(input["seconds"]) + 1)])
        case "fragile":
            return _labelled(who, ["a", "b", "c"])
        case "mended":
            return _labelled(who, ["before", "shaky", "beside", "after"])
        case "mended_family":
            child = expected("mended", input).result
            steps = [f"{who}:0", f"{who}:1"]
            return Expected([f"{who}:before", child, steps, f"{who}:after"], {"before", "after"})
        case "ballot":
            return Expected(None, {"open", "count"})
        case "deadline":
            return Expected(None, {"open"})
        case "mailbox":
            return Expected(None, set())
        case "endless":
            return Expected(None, set(), "cancelled")
        case _:
            return _expected_of_dag(workflow, who, input)


def _expected_of_dag(workflow: str, who: str, input: Any) -> Expected:
    match workflow:
        case "errand":
            items = [f"process.{index}" for index in range(len(input["items"]))]
            done = [f"{who}:{label}" for label in [*items, "0", "1", "join"]]
            output = {"done": done, "flaky": f"{who}:flaky", "nothing": [], "unwanted": None}
            labels = {"discover", "flaky", "watched", "join", *items}
            return Expected(output, labels, never=frozenset({"nothing", "unwanted"}))
        case "mended_dag":
            labels = {"last", "alarm", "beside"}
            return Expected({label: f"{who}:{label}" for label in labels}, {"shaky", *labels})
        case "mishap":
            return Expected(None, {"broken", "alarm"}, "failed", frozenset({"after", "far"}))
        case "idle":
            return Expected(None, set(), "cancelled")
        case "ticked":
            return Expected({"tick": f"{who}:tick"}, {"tick"})
        case _:
            raise AssertionError(f"no workload is called {workflow!r}")


def _labelled(who: str, labels: list[str]) -> Expected:
    return Expected([f"{who}:{label}" for label in labels], set(labels))


def _family_result(who: str, depth: int, width: int) -> list[Any]:
    if depth:
        return [f"{who}:first", *[_family_result(who, depth - 1, width) for _ in range(width)]]
    return [f"{who}:first", [f"{who}:0", f"{who}:1"]]
