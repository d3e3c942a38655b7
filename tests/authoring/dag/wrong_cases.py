"""The table of everything that can be wrong with a DAG: `wrong/*.txt`.

    # what is wrong
        the YAML, indented by four spaces
    > line:column: message, for each problem and in this order

What cannot well be written in a text file, because nobody could read it or it is too long, is made here.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

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


def _one_task(rest: str) -> str:
    return f"name: t\ntasks:\n  a: {{command: x}}\n  b:\n    command: x\n    depends_on: a\n    {rest}\n"


_DEEP_TYPES = ", ".join(f"T{number}: [T{number - 1}]" for number in range(1, 33))
_WIDE_TYPES = ", ".join(f"T{n}: {{a: T{n + 1}, b: T{n + 1}}}" for n in range(20))
_LAUGHS = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 9))

MADE = [
    Case(
        "yaml: a character that is not allowed",
        "name: t\ndescription: a\x07b\n",
        ["2:15: the character '\\x07' is not allowed in YAML"],
    ),
    Case(
        "yaml: half a character",
        "name: t\ndescription: a\ud800b\n",
        ["2:15: the character '\\ud800' is not allowed in YAML"],
    ),
    Case(
        "yaml: more text than a DAG can have",
        "#" * 1_000_001,
        ["1:1: the text has 1,000,001 characters; a DAG has at most 1,000,000"],
    ),
    Case("yaml: too deep", "[" * 61 + "]" * 61, ["1:61: nested more than 60 levels deep"]),
    Case(
        "yaml: a billion laughs",
        f"l0: &l0 [ha]\n{_LAUGHS}",
        ["6:5: more than 200,000 values, once the aliases are followed"],
    ),
    Case(
        "fields: text that is too long",
        _one_task(f"workdir: {'w' * 10_001}"),
        ["7:14: workdir has 10,001 characters; at most 10,000 will do"],
    ),
    Case(
        "types: too deep",
        f"name: t\ntypes: {{T0: str, {_DEEP_TYPES}}}\ntasks: {{a: {{command: x}}}}\n",
        ["2:352: a type of more than 30 levels or 2,000 parts; use any inside of it"],
    ),
    Case(
        "types: too deep, from the other end",
        "name: t\ntypes: {"
        + ", ".join(f"T{number}: [T{number + 1}]" for number in range(40))
        + ", T40: str}\ntasks: {a: {command: x}}\n",
        ["2:350: a type of more than 30 levels or 2,000 parts; use any inside of it"],
    ),
    Case(
        "types: too large, by names within names",
        f"name: t\ntypes: {{{_WIDE_TYPES}, T20: str}}\ntasks: {{a: {{command: x}}}}\n",
        ["2:216: a type of more than 30 levels or 2,000 parts; use any inside of it"],
    ),
    Case(
        "when: too many parts",
        _one_task(f"when: {' or '.join(['true'] * 150)}"),
        ["7:808: when: a condition has at most 200 parts"],
    ),
    Case(
        "when: too long",
        _one_task(f"when: {'x' * 2001}"),
        ["7:11: when: a condition has at most 2,000 characters"],
    ),
    Case(
        "references: too long to be read to the end",
        _one_task(f"inputs: {{v: {{ref: {'a' * 1001}}}}}"),
        ["7:23: ref has 1,001 characters; at most 1,000 will do"],
    ),
    Case(
        "dependencies: many cycles",
        "name: t\ntasks:\n"
        + "".join(
            f"  a{n}: {{command: x, depends_on: b{n}}}\n  b{n}: {{command: x, depends_on: a{n}}}\n"
            for n in range(30)
        ),
        [
            f"{3 + 2 * n}:{31 + len(str(n))}: these tasks wait for each other: a{n} -> b{n} -> a{n}"
            for n in range(20)
        ],
    ),
]
