"""Who may import whom, and a few things nobody may do. The table of layers in ARCHITECTURE.md is the rule.

The source is read, not imported: an import inside a function or under TYPE_CHECKING counts as well,
because a layer that names another one's types knows it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "holdfast"


class Layer(NamedTuple):
    may_import: set[str]
    """Other layers. Every layer may import itself."""
    third_party: set[str]


def layers_in(page: str) -> dict[str, Layer]:
    """The rows of the table of layers: a link, what the layer may import, its packages, what it holds."""
    rows = re.findall(r"^\| \[`?(\w+)`?\]\(src/holdfast/\S+\) \|(.*?)\|(.*?)\|", page, re.MULTILINE)
    return {name: Layer(_names(layers), _names(packages)) for name, layers, packages in rows}


def _names(cell: str) -> set[str]:
    return set(re.findall(r"\w+", cell))


LAYERS = layers_in((SOURCE.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8"))

# core is handed the time, the dice and everything else from outside. So the same arguments give the
# same answer on every machine and in every year, which is all that replay rests on.
# fmt: off
IMPURE_MODULES = {
    "asyncio", "concurrent", "contextvars", "ctypes", "fcntl", "getpass", "glob", "http", "io", "locale",
    "logging", "mmap", "multiprocessing", "os", "pathlib", "platform", "queue", "random", "sched", "secrets",
    "select", "selectors", "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "tempfile",
    "threading", "time", "urllib",
}
# fmt: on
PURE_EXCEPTIONS = {"random.Random"}  # as the type of an argument: whoever calls has seeded it
IMPURE_CALLS = {
    "now",
    "utcnow",
    "today",
    "uuid1",
    "uuid4",
    "uuid6",
    "uuid7",
    "Random",
    "open",
    "print",
    "input",
}

PICKLES = {"pickle", "_pickle", "shelve", "marshal", "dill", "cloudpickle", "joblib"}
ENVIRONMENT = {"os.environ", "os.environb", "os.getenv", "os.getenvb", "os.putenv", "os.unsetenv"}
NAMES_OF_IT = {name.partition(".")[2] for name in ENVIRONMENT}
OTHER_ENVIRONMENTS = {"executors/python/call_setup.py"}
"""Runs in a process of its own, whose environment is what the task in it sees."""
SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "models", "misc"}
LONGEST_FILE = 600
LONG_BY_DESIGN = {"errors.py", "sync/calls.py"}
"""The tree of errors is one file, so that one page shows all of it. `sync/calls.py` is generated."""


class Module(NamedTuple):
    path: Path
    """Below the package, as in `core/values.py`."""
    text: str
    tree: ast.Module

    @property
    def layer(self) -> str:
        return self.path.parts[0].removesuffix(".py")

    def at(self, line: int) -> str:
        return f"src/holdfast/{self.path.as_posix()}:{line}"


class Import(NamedTuple):
    line: int
    name: str
    """Dotted and absolute; `from a import b` gives `a.b`."""

    @property
    def root(self) -> str:
        return self.name.partition(".")[0]


@cache
def read(source: Path) -> list[Module]:
    modules: list[Module] = []
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        modules.append(Module(path.relative_to(source), text, ast.parse(text, str(path))))
    return modules


def imports(module: Module) -> Iterator[Import]:
    for node in statements(module.tree):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            yield from (Import(node.lineno, f"{base}.{alias.name}") for alias in node.names)


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements in it. There are few of them beside expressions, in which nothing is imported."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, field, ())
        for each in inner if isinstance(inner, list) else ():
            if isinstance(each, ast.stmt):
                yield each
            yield from statements(each)


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    # One dot is the package the module lies in, which for an __init__.py is its own directory too.
    package = ("holdfast", *module.path.parent.parts)
    base = package[: len(package) - (node.level - 1)]
    return ".".join((*base, node.module) if node.module else base)


# --- the rules: each finds what breaks it, as lines that a person can act on


def strangers_imported(modules: list[Module]) -> list[str]:
    found: list[str] = []
    for module in modules:
        layer = LAYERS.get(module.layer)
        if layer is None:
            found.append(f"{module.at(1)} is in no layer: give {module.layer!r} a row in ARCHITECTURE.md")
            continue
        for imported in imports(module):
            if imported.root == "holdfast":
                found += _wrong_layer(module, layer, imported)
            elif imported.root not in sys.stdlib_module_names | layer.third_party:
                allowed = ", ".join(sorted(layer.third_party)) or "none"
                found.append(
                    f"{module.at(imported.line)} imports {imported.name}; "
                    f"third-party packages of layer {module.layer!r}: {allowed}"
                )
    return found


def _wrong_layer(module: Module, layer: Layer, imported: Import) -> list[str]:
    # `import holdfast` and `from holdfast import run` go to the top, which knows every part.
    target = imported.name.split(".")[1] if "." in imported.name else "__init__"
    if target not in LAYERS:
        target = "__init__"
    if target in {module.layer, *layer.may_import}:
        return []
    allowed = ", ".join(sorted(layer.may_import)) or "nothing else of holdfast"
    return [
        f"{module.at(imported.line)} imports {imported.name} ({target}); "
        f"layer {module.layer!r} may import only {allowed}"
    ]


IMPURE = "core is pure: take what you need as an argument"


def impurities_in_core(modules: list[Module]) -> list[str]:
    found: list[str] = []
    for module in modules:
        if module.layer != "core":
            continue
        for imported in imports(module):
            if imported.root in IMPURE_MODULES and imported.name not in PURE_EXCEPTIONS:
                found.append(f"{module.at(imported.line)} imports {imported.name}; {IMPURE}")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and _called(node) in IMPURE_CALLS:
                found.append(f"{module.at(node.lineno)} calls {ast.unparse(node.func)}(); {IMPURE}")
    return found


def _called(node: ast.Call) -> str | None:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None


def readers_of_the_environment(modules: list[Module]) -> list[str]:
    found: list[str] = []
    for module in modules:
        if module.layer == "settings" or module.path.as_posix() in OTHER_ENVIRONMENTS:
            continue
        lines = [imported.line for imported in imports(module) if imported.name in ENVIRONMENT]
        is_near = any(name in module.text for name in NAMES_OF_IT)
        lines += [
            node.lineno
            for node in (ast.walk(module.tree) if is_near else ())
            if isinstance(node, ast.Attribute)
            and node.attr in NAMES_OF_IT
            and ast.unparse(node) in ENVIRONMENT
        ]
        found += [f"{module.at(line)} reads the environment; only settings.py may" for line in sorted(lines)]
    return found


def picklers(modules: list[Module]) -> list[str]:
    return [
        f"{module.at(imported.line)} imports {imported.name}; never pickle: what is stored must be readable "
        "by people and by later versions"
        for module in modules
        for imported in imports(module)
        if imported.root in PICKLES
    ]


def names_that_say_nothing(modules: list[Module]) -> list[str]:
    return [
        f"{module.at(1)}: name it for what it does, as in named_queries.py"
        for module in modules
        if SAY_NOTHING & {part.removesuffix(".py") for part in module.path.parts}
    ]


def files_too_long(modules: list[Module]) -> list[str]:
    return [
        f"{module.at(1)} has {length} lines, over {LONGEST_FILE}: which second job does it do?"
        for module in modules
        if (length := len(module.text.splitlines())) > LONGEST_FILE
        and module.path.as_posix() not in LONG_BY_DESIGN
    ]


RULES = [
    strangers_imported,
    impurities_in_core,
    readers_of_the_environment,
    picklers,
    names_that_say_nothing,
    files_too_long,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps_the_rule(rule: Callable[[list[Module]], list[str]]):
    found = rule(read(SOURCE))

    assert not found, "\n" + "\n".join(found)


def test_the_table_has_the_layers_that_the_source_has():
    layers = {module.layer for module in read(SOURCE)}

    assert LAYERS.keys() == layers
    assert {name for layer in LAYERS.values() for name in layer.may_import} <= layers


# --- the rules themselves, each shown a violation

PLANTED = {
    "core/late.py": (
        "def decide():\n    from holdfast.ports import store",
        "src/holdfast/core/late.py:2 imports holdfast.ports.store (ports); "
        "layer 'core' may import only errors",
    ),
    "engine/relative.py": (
        "from ..stores import sql_store",
        "src/holdfast/engine/relative.py:1 imports holdfast.stores.sql_store (stores); "
        "layer 'engine' may import only core, errors, ports",
    ),
    "stores/deep/__init__.py": (
        "from ...client import local",
        "layer 'stores' may import only core, errors, ports",
    ),
    "executors/top.py": ("from holdfast import workflow", "imports holdfast.workflow (__init__)"),
    "client/typed.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import holdfast.app",
        "src/holdfast/client/typed.py:3 imports holdfast.app (app)",
    ),
    "engine/driver.py": ("import psycopg", "third-party packages of layer 'engine': msgspec"),
    "newcomer/part.py": ("", "src/holdfast/newcomer/part.py:1 is in no layer"),
    "core/loop.py": ("import asyncio", "src/holdfast/core/loop.py:1 imports asyncio; core is pure"),
    "core/dice.py": ("from random import choice", "imports random.choice; core is pure"),
    "core/clock.py": (
        "import datetime as dt\nstarted = dt.datetime.now(dt.UTC)",
        "src/holdfast/core/clock.py:2 calls dt.datetime.now()",
    ),
    "executors/shell_environment.py": (
        "import os\nhome = os.environ.get('HOME')",
        "src/holdfast/executors/shell_environment.py:2 reads the environment",
    ),
    "client/variable.py": ("from os import getenv", "reads the environment; only settings.py may"),
    "stores/frozen.py": ("import pickle", "src/holdfast/stores/frozen.py:1 imports pickle"),
    "engine/utils.py": ("", "src/holdfast/engine/utils.py:1: name it for what it does"),
    "engine/endless.py": ("#\n" * (LONGEST_FILE + 1), f"has {LONGEST_FILE + 1} lines, over {LONGEST_FILE}"),
}


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the rules find in a package made of violations. A rule looks at one module at a time."""
    package = tmp_path_factory.mktemp("planted") / "holdfast"
    for path, (text, _) in PLANTED.items():
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_text(text, encoding="utf-8")
    modules = read(package)
    return [finding for rule in RULES for finding in rule(modules)]


@pytest.mark.parametrize("path", PLANTED)
def test_a_planted_violation_is_found_and_named(path: str, findings: list[str]):
    _, expected = PLANTED[path]

    of_this_file = [finding for finding in findings if finding.startswith(f"src/holdfast/{path}:")]

    assert len(of_this_file) == 1
    assert expected in of_this_file[0]


# --- import circles


def import_circles(modules: list[Module]) -> list[set[str]]:
    """The groups of modules that import each other, directly or through others, by path."""
    by_name = {_dotted(module): module.path.as_posix() for module in modules}
    imported = {
        path: {by_name[name] for each in imports(module) if (name := _imported_module(each, by_name))}
        for module in modules
        for path in [module.path.as_posix()]
    }
    reached = {path: _reachable(path, imported) for path in imported}
    circles: list[set[str]] = []
    for path in imported:
        circle = {other for other in reached[path] if path in reached[other]}
        if circle and circle not in circles:
            circles.append(circle)
    return circles


def _dotted(module: Module) -> str:
    parts = module.path.with_suffix("").parts
    return ".".join(("holdfast", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def _imported_module(imported: Import, by_name: dict[str, str]) -> str | None:
    """`from a import b` imports the module `a.b`, or a name from the module `a`."""
    name = imported.name
    return next((each for each in (name, name.rpartition(".")[0]) if each in by_name), None)


def _reachable(start: str, imported: dict[str, set[str]]) -> set[str]:
    """Includes `start` only if the imports lead back to it."""
    reached: set[str] = set()
    to_visit = [start]
    while to_visit:
        new = imported[to_visit.pop()] - reached
        reached |= new
        to_visit += new
    return reached


def test_no_modules_import_each_other():
    found = import_circles(read(SOURCE))

    assert not found, f"these modules import each other: {[sorted(circle) for circle in found]}"


def test_a_circle_of_late_and_typing_imports_is_found(tmp_path: Path):
    package = tmp_path / "holdfast"
    (package / "engine").mkdir(parents=True)
    for path, text in {
        "engine/__init__.py": "",
        "engine/first.py": "if TYPE_CHECKING:\n    from .second import Second",
        "engine/second.py": "def late():\n    from holdfast.engine import third",
        "engine/third.py": "import holdfast.engine.first",
        "engine/fourth.py": "from holdfast.engine.first import First",
    }.items():
        (package / path).write_text(text, encoding="utf-8")

    assert import_circles(read(package)) == [{"engine/first.py", "engine/second.py", "engine/third.py"}]


def test_the_type_of_the_dice_may_be_named_in_core():
    text = "from random import Random\n\ndef jitter(dice: Random) -> float:\n    return dice.random()\n"

    assert impurities_in_core([Module(Path("core/policy.py"), text, ast.parse(text))]) == []
