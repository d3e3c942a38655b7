"""The table of everything that can be wrong with a flow: `wrong/*.txt`, written as for DAGs.

    # what is wrong
        the YAML or JSON, indented by four spaces
    > line:column: path: message, for each problem and in this order

What cannot well be written in a text file, because nobody could read it or it is too long, is made here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "wrong"


class Case(NamedTuple):
    name: str
    text: str
    problems: list[str]


def read_cases() -> list[Case]:
    return [case for path in sorted(FOLDER.glob("*.txt")) for case in _read(path)]


def _read(path: Path) -> list[Case]:
    cases: list[Case] = []
    for line in path.read_text("utf-8").split("\n")[1:]:
        if line.startswith("# "):
            cases.append(Case(f"{path.stem}: {line[2:]}", "", []))
        elif line.startswith("    "):
            cases[-1] = cases[-1]._replace(text=f"{cases[-1].text}{line[4:]}\n")
        elif line.startswith("> "):
            cases[-1].problems.append(line[2:])
        elif line:
            raise ValueError(f"{path.name}: cannot understand {line!r}")
    return cases


def flow_of(**node: Any) -> str:
    """A flow of one node, as JSON."""
    return json.dumps({"start": "a", "nodes": {"a": node}, "edges": [{"from": "a", "to": "a"}]})


def nested_flow(depth: int, key: str = "s") -> dict[str, Any]:
    """Flows inside of flows: a timer in the innermost."""
    flow: dict[str, Any] = {"start": key, "nodes": {key: {"kind": "timer"}}}
    for _ in range(depth):
        flow = {"start": key, "nodes": {key: {"kind": "subflow", "subflow": flow}}}
    return flow


def nested_condition(depth: int) -> Any:
    condition: Any = "$params.x"
    for _ in range(depth):
        condition = {"not": condition}
    return condition


def _choice(expr: Any) -> str:
    return flow_of(kind="choice", choice_cases=[{"action": "default", "expr": expr}])


_EXPR = (
    len('{"start": "a", "nodes": {"a": {"kind": "choice", "choice_cases": [{"action": "default", "expr": ')
    + 1
)
"""The column of a condition."""
_TOO_LARGE = "a condition has at most 1,000 parts, in at most 50 levels"
_KEY = "k" * 100
_LONG_PATH = f"${f'.nodes.{_KEY}.subflow' * 4}.nodes.{_KEY}"

MADE = [
    Case(
        "text: more than a flow can have",
        "#" * 1_000_001,
        ["1:1: the text has 1,000,001 characters; a flow has at most 1,000,000"],
    ),
    Case("text: JSON that is too deep", '{"a":' + "[" * 300, ["1:305: nested more than 300 levels deep"]),
    Case(
        "nodes: a key that is too long",
        json.dumps({"start": "a", "nodes": {"a": {"kind": "timer"}, f"{_KEY}k": {"kind": "timer"}}}),
        [f'1:50: $.nodes["{_KEY}"]: a name in nodes has 101 characters; at most 100 will do'],
    ),
    Case(
        "nodes: keys that are too long together",
        json.dumps(nested_flow(4, _KEY)),
        [
            f"1:1161: {_LONG_PATH[:250]}…{_LONG_PATH[-250:]}: "
            "the keys of nodes that lead here have more than 500 characters together"
        ],
    ),
    Case(
        "conditions: too deep",
        _choice(nested_condition(51)),
        [f"1:{_EXPR + 50 * 8 + 1}: $.nodes.a.choice_cases[0].expr{'.not' * 51}: {_TOO_LARGE}"],
    ),
    Case(
        "conditions: too large",
        _choice({"and": [{"ne": [1, 2]}] * 1100}),
        [f"1:{_EXPR + 10 + 999 * 16}: $.nodes.a.choice_cases[0].expr.and[999].ne: {_TOO_LARGE}"],
    ),
]
