"""Drawing a flow: any small graph of nodes of every kind, with everything that may be said about each.

Nothing is wrong with a flow that is drawn: it must load. What may go wrong when it runs is another matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from tests.flows.services import ATTEMPTS_OF_LATE, BROKEN, CALLED, COUNT, LATE, MOODY, SERVICES, STEADY
from tests.flows.signals import LONG_MS, SHORT_MS

DEEPEST = 3
SIGNALLED = ("w0", "w1")
KEYS = ("x", "y", "z", *SIGNALLED)
"""Keys of shared. `i` is another one, which only loops count with."""
_KINDS = {
    "executor": 8,
    "choice": 4,
    "parallel": 3,
    "foreach": 3,
    "subflow": 3,
    "timer": 1,
    "wait_event": 2,
    "approval": 2,
}
_ACTIONS = ("default", "default", "error", "left", "right", "go")
_LITERALS: Sequence[Any] = (0, 3, 40, "40", "left", "", True, False, None, [1, 2], {"n": 1}, 2.5, "$5.00")
_STEPS = ("n", "items", "items[1]", "action", "deep.action", "nothing")


class Manner(NamedTuple):
    """What may be drawn."""

    exec_types: tuple[str, ...] = ("http", "queue", "local_func", "local_script")
    is_bounded: bool = False
    """Every way through it comes to an end."""
    is_patient: bool = False
    """Work that fails at first is tried often enough."""
    most_nodes: int = 5


ANYTHING = Manner()


def draw_flow(dice: Random, manner: Manner = ANYTHING, name: str = "random") -> dict[str, Any]:
    """A flow as its JSON would be read."""
    return {"name": name, **_Drawing(dice, manner).flow(1)}


def draw_params(dice: Random) -> dict[str, Any]:
    params: dict[str, Any] = {
        "base": dice.choice((dice.randint(0, 9), str(dice.randint(0, 9)))),
        "items": [dice.randint(0, 9) for _ in range(dice.randint(0, 4))],
        "services": [dice.choice(SERVICES) for _ in range(dice.randint(1, 3))],
    }
    if dice.random() < 0.3:
        params["k"] = "of the run"
    if dice.random() < 0.05:
        params["delay_ms"] = "soon"
    if dice.random() < 0.1:
        del params["services"]
    return params


def awaited_keys(flow: dict[str, Any]) -> list[str]:
    """Keys that signals may have: of nodes that wait, and those that are waited for by name."""
    found = list(SIGNALLED)
    for key, node in flow["nodes"].items():
        if node["kind"] in ("wait_event", "approval"):
            found.append(key)
        found += (
            [each for each in awaited_keys(node["subflow"]) if each not in found] if "subflow" in node else []
        )
    return found


class _Drawing:
    def __init__(self, dice: Random, manner: Manner) -> None:
        self._dice = dice
        self._manner = manner

    def flow(self, depth: int) -> dict[str, Any]:
        dice = self._dice
        nodes: dict[str, Any] = {}
        keys = [
            f"n{number}" for number in range(dice.randint(1, self._manner.most_nodes if depth == 1 else 3))
        ]
        if dice.random() < 0.2:
            keys[-1] = dice.choice(("branch", "item"))
        for key in keys:
            kind = dice.choices(list(_KINDS), list(_KINDS.values()))[0]
            nodes[key] = self._node("executor" if kind == "subflow" and depth == DEEPEST else kind, depth)
        edges = self._edges(nodes)
        if dice.random() < 0.35:
            self._add_loop(nodes, edges)
        self._give_choices_a_way_out(nodes, edges)
        listed = [
            {"from": source, "action": action, "to": target} for (source, action), target in edges.items()
        ]
        dice.shuffle(listed)
        for edge in listed:
            if edge["action"] == "default" and dice.random() < 0.5:
                edge.pop("action") if dice.random() < 0.5 else edge.update(action="")
        return {"start": keys[0], "nodes": nodes, "edges": listed}

    # --- edges

    def _edges(self, nodes: dict[str, Any]) -> dict[tuple[str, str], str]:
        """To each node from one before it, and some more."""
        dice, keys = self._dice, list(nodes)
        edges: dict[tuple[str, str], str] = {}
        for number, key in enumerate(keys[1:], 1):
            sources = keys[max(0, number - 2) : number]
            free = [(each, action) for each in sources for action in self._actions(nodes[each])]
            free = [each for each in free if each not in edges] or [(keys[number - 1], f"to {key}")]
            straight = keys[number - 1], "default"
            edges[straight if straight in free and dice.random() < 0.4 else dice.choice(free)] = key
        for _ in range(dice.randint(0, len(keys))):
            place = dice.randrange(len(keys))
            targets = keys[place + 1 :] if self._manner.is_bounded else keys
            if targets:
                edge = keys[place], dice.choice(self._actions(nodes[keys[place]]))
                edges.setdefault(edge, dice.choice(targets))
        return edges

    def _actions(self, node: dict[str, Any]) -> list[str]:
        """Those that it may end with."""
        if node["kind"] == "approval":
            return ["approved", "rejected", "error", "default"]
        if node["kind"] == "choice":
            cases = [case["action"] for case in node.get("choice_cases", ())]
            return [*dict.fromkeys([*cases, *filter(None, [node.get("default_action")]), "default"])]
        return list(dict.fromkeys(_ACTIONS)) if self._dice.random() < 0.5 else ["default"]

    def _add_loop(self, nodes: dict[str, Any], edges: dict[tuple[str, str], str]) -> None:
        """After some node count, and go back unless it is enough."""
        dice = self._dice
        before = dice.choice(list(nodes))
        way_on = edges.get((before, "default"))
        nodes["count"] = {
            "kind": "executor",
            **self._work(COUNT),
            "prep": {"input_key": "i"},
            "post": {"output_key": "i"},
        }
        nodes["again"] = {
            "kind": "choice",
            "choice_cases": [{"action": "more", "expr": {"lt": ["$shared.i", dice.randint(1, 3)]}}],
            "default_action": "enough",
        }
        edges[before, "default"] = "count"
        edges["count", "default"] = "again"
        edges["again", "more"] = list(nodes)[dice.randint(0, list(nodes).index(before))]
        if way_on is not None:
            edges["again", "enough"] = way_on

    def _give_choices_a_way_out(self, nodes: dict[str, Any], edges: dict[tuple[str, str], str]) -> None:
        for key, node in list(nodes.items()):
            if node["kind"] == "choice" and not any(source == key for source, _ in edges):
                nodes.setdefault("last", {"kind": "timer", "params": {"delay_ms": 0}})
                edges[key, self._dice.choice(self._actions(node))] = "last"

    # --- nodes

    def _node(self, kind: str, depth: int) -> dict[str, Any]:
        dice = self._dice
        node: dict[str, Any] = {"kind": kind}
        params = {name: dice.choice((1, "a", [2])) for name in ("k", "m", "base") if dice.random() < 0.2}
        self._prep(node, kind)
        self._post(node, kind)
        match kind:
            case "executor":
                node |= self._work(self._service(node))
            case "parallel":
                self._parallel(node, params)
            case "foreach":
                node |= self._work(self._service(node)) | self._fan()
            case "subflow" if dice.random() < 0.25:
                node["workflow"] = dice.choice((*CALLED, *CALLED, "unknown"))
            case "subflow":
                node["subflow"] = self.flow(depth + 1)
            case "choice":
                self._choice(node)
            case "timer":
                params["delay_ms"] = dice.choice((0, 20, 2000))
            case _:
                self._wait(node, kind, params)
        return node | ({"params": params} if params else {})

    def _path(self) -> str:
        dice = self._dice
        key = dice.choice(KEYS)
        ways = ("$params.base", "$params.items", "$params.k", "$params", f"$shared.{key}", key, f"{key}.n")
        return dice.choice((*ways, f"$shared.{key}.{dice.choice(_STEPS)}"))

    def _prep(self, node: dict[str, Any], kind: str) -> None:
        dice = self._dice
        if kind == "foreach":
            lists = ("$params.items", "$params.items", "x", "$shared.y.items", "z", "w0")
            node["prep"] = {"input_key": dice.choice(lists)}
        elif kind == "subflow" or dice.random() < 0.3:
            names = dice.sample(("a", "b", "action"), dice.randint(1, 3))
            node["prep"] = {"input_map": {name: self._path() for name in names}}
        elif dice.random() < 0.6:
            node["prep"] = {"input_key": self._path()}

    def _post(self, node: dict[str, Any], kind: str) -> None:
        """A node that only hands on what it is given must not write it: in a loop it would grow."""
        dice = self._dice
        post: dict[str, Any] = {}
        is_passed_on = kind in ("choice", "timer") and "input_map" in node.get("prep", {})
        if not is_passed_on and dice.random() < 0.6:
            post["output_key"] = dice.choice(KEYS)
        if not is_passed_on and dice.random() < 0.25:
            keys = dice.sample(KEYS, dice.randint(1, 2))
            post["output_map"] = {key: dice.choice(_STEPS) for key in keys}
        if kind != "choice" and dice.random() < 0.2:
            post["action_static"] = dice.choice(("go", "left", "error"))
        if dice.random() < 0.3:
            post["action_key"] = dice.choice(("action", "deep.action", "n"))
        if post:
            node["post"] = post

    def _service(self, node: dict[str, Any]) -> str:
        """Mostly one that succeeds."""
        dice = self._dice
        if "action_key" in node.get("post", {}) and dice.random() < 0.6:
            return "make"
        return dice.choice(
            STEADY if dice.random() < 0.7 else (BROKEN, MOODY, "mended", "mended", "mended_twice", LATE)
        )

    def _work(self, service: str) -> dict[str, Any]:
        exec_type = self._dice.choice(self._manner.exec_types)
        work: dict[str, Any] = self._tries([service])
        match exec_type:
            case "http":
                work |= {"service": service, "max_attempts": self._dice.randint(0, 3)}
            case "queue":
                work |= {"exec_type": exec_type, "service": service}
            case "local_func":
                work |= {"exec_type": exec_type, self._dice.choice(("func", "service")): service}
            case _:
                work |= {"exec_type": exec_type, "script": {"cmd": service, "args": [1]}}
        return work

    def _tries(self, services: Sequence[str]) -> dict[str, Any]:
        dice = self._dice
        if self._manner.is_patient and LATE in services:
            return {"max_retries": ATTEMPTS_OF_LATE - 1, "wait_ms": dice.choice((0, 10, 3000))}
        if dice.random() < 0.3:
            return {"max_retries": dice.randint(1, 3), "wait_ms": dice.choice((0, 10, 3000))}
        return {}

    def _parallel(self, node: dict[str, Any], params: dict[str, Any]) -> None:
        dice = self._dice
        services = [self._service(node) for _ in range(dice.randint(1, 4))]
        work = self._work("make")
        if work.get("exec_type") != "local_script":
            work.pop("service", None)
            work.pop("func", None)
            works = self._tries([*services, LATE] if self._manner.is_patient else services)
            work = {
                name: value for name, value in work.items() if name not in ("max_retries", "wait_ms")
            } | works
        node |= work | self._fan()
        if dice.random() < 0.8:
            node["parallel_services"] = services
        elif dice.random() < 0.5:
            params["services"] = services

    def _fan(self) -> dict[str, Any]:
        dice = self._dice
        fan: dict[str, Any] = {}
        if dice.random() < 0.7:
            fan["parallel_mode"] = dice.choice(("sequential", "concurrent", "concurrent"))
        if fan.get("parallel_mode") == "concurrent" and dice.random() < 0.5:
            fan["max_parallel"] = dice.randint(0, 2)
        if dice.random() < 0.75:
            fan["failure_strategy"] = dice.choice(("fail_fast", "collect_errors", "ignore_errors"))
        return fan

    def _wait(self, node: dict[str, Any], kind: str, params: dict[str, Any]) -> None:
        dice = self._dice
        name = "signal_key" if kind == "wait_event" else "approval_key"
        key = dice.choice(SIGNALLED)
        if dice.random() < 0.7:
            params[name] = dice.choice((key, f"$shared.{key}", f"$shared.{key}.action", "$params.base"))
        if dice.random() < 0.5:
            params["timeout_ms"] = dice.choice((SHORT_MS, LONG_MS))

    # --- choices

    def _choice(self, node: dict[str, Any]) -> None:
        dice = self._dice
        node["choice_cases"] = [
            {"action": dice.choice(("left", "right", "go")), "expr": self._condition(1)}
            for _ in range(dice.randint(1, 3))
        ]
        if dice.random() < 0.8 or "action_key" not in node.get("post", {}):
            node["default_action"] = dice.choice(("left", "right", "otherwise"))

    def _condition(self, depth: int) -> Any:
        dice = self._dice
        operators = ("eq", "ne", "gt", "lt", "ge", "le", "in", "contains", "exists", "path")
        together = ("and", "or", "not", "not in a list")
        match dice.choice((*operators, *together) if depth < 3 else operators):
            case ("and" | "or") as operator:
                return {operator: [self._condition(depth + 1) for _ in range(dice.randint(1, 3))]}
            case "not":
                return {"not": self._condition(depth + 1)}
            case "not in a list":
                return {"not": [self._condition(depth + 1)]}
            case "exists":
                return {"exists": dice.choice((self._rooted(), [self._rooted()], dice.choice(KEYS)))}
            case "path":
                return self._rooted()
            case operator if dice.random() < 0.3:
                return {operator: ["$params.base", dice.randint(0, 9)]}
            case operator:
                return {operator: [self._operand(), self._operand()]}

    def _operand(self) -> Any:
        return self._rooted() if self._dice.random() < 0.6 else self._dice.choice(_LITERALS)

    def _rooted(self) -> str:
        dice = self._dice
        input = ("$input", "$input.a", "$input[0]", "$input.n")
        path = self._path() if dice.random() < 0.7 else dice.choice(input)
        return path if path.startswith("$") else f"$shared.{path}"
