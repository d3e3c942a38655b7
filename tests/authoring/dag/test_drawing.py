"""Drawings say what the DAG says: one in text is read back here, line by line, and has the same edges."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from holdfast.authoring.dag.drawing import graph_of
from holdfast.authoring.dag.expressions import Expression
from holdfast.authoring.dag.model import (
    ApprovalTask,
    CallTask,
    Dag,
    DagTask,
    DagWork,
    Each,
    Ref,
    SignalTask,
    SleepTask,
    Times,
)
from holdfast.authoring.graphs import mermaid, rails
from holdfast.ports.executor import PythonFunction, ShellCommand


def task(name: str, *after: str, work: DagWork | None = None, **fields: Any) -> DagTask:
    return DagTask(name=name, work=work or ShellCommand(f"./{name}.sh"), depends_on=after, **fields)


def dag(*tasks: DagTask, name: str = "nightly", description: str = "") -> Dag:
    return Dag(name=name, description=description, tasks={each.name: each for each in tasks})


ETL = dag(
    task("discover", work=PythonFunction("discover", file="etl.py")),
    task(
        "process",
        "discover",
        fan_out=Each(Ref(("tasks", "discover", "output", "files"))),
        concurrency=4,
    ),
    task("publish", "process", when=Expression.parse("discover.count > 0")),
    task("alert", "publish", "discover", runs_on_failure=True),
    description="Every night",
)

KINDS: dict[str, DagWork] = {
    "shell": ShellCommand(("./run", "--all")),
    "python": PythonFunction("main", module="shop.tasks"),
    "workflow": CallTask("other"),
    "approval": ApprovalTask("Ship it?"),
    "signal": SignalTask("paid"),
    "sleep": SleepTask(dt.timedelta(days=2, minutes=90, milliseconds=5)),
}


@st.composite
def dags(draw: st.DrawFn, most: int = 14) -> Dag:
    """Tasks in the order of the file may depend on any others, as long as there is no cycle."""
    count = draw(st.integers(1, most))
    order = draw(st.permutations(range(count)))
    tasks: list[DagTask] = []
    for position in range(count):
        before = draw(st.sets(st.integers(0, position - 1), max_size=3)) if position else set[int]()
        after = [f"task_{order[each]}" for each in sorted(before)]
        tasks.append(task(f"task_{order[position]}", *after, fan_out=draw(st.sampled_from([None, Times(3)]))))
    return dag(*sorted(tasks, key=lambda each: int(each.name.split("_")[1])))


def as_text(drawn: Dag, **how: Any) -> str:
    return rails.as_text(graph_of(drawn), **how)


def as_mermaid(drawn: Dag) -> str:
    return mermaid.as_mermaid(graph_of(drawn))


def edges_of(drawn: Dag) -> set[tuple[str, str]]:
    return {(before, each.name) for each in drawn.tasks.values() for before in each.depends_on}


# --- text


def read_rails(text: str) -> set[tuple[str, str]]:
    """The edges that a reader sees, by the rules that `rails` states: nothing else is known here."""
    edges: set[tuple[str, str]] = set()
    rails: dict[int, str] = {}
    joined: set[int] = set()
    above = ""
    for line in text.splitlines()[2:]:
        drawn = re.match(r"[^A-Za-z]*", line)[0].rstrip()  # type: ignore[index]
        cells = dict(enumerate(drawn[::2]))
        node = next((column for column, cell in cells.items() if cell in "●◉*#"), None)
        if node is None:
            joined = {column for column, cell in cells.items() if cell in "├┤┼┴╰╯+'"}
            ended = {column for column, cell in cells.items() if cell in "┴╰╯'"}
            edges_above = {rails[column] for column in joined}
            for column in ended:
                del rails[column]
            above = drawn
            parents = edges_above
            continue
        name = line.split()[next(i for i, word in enumerate(line.split()) if word.startswith("task_"))]
        if joined:
            edges |= {(parent, name) for parent in parents}
        elif above[2 * node : 2 * node + 1].strip() and node in rails:
            edges.add((rails[node], name))
        rails = {column: rail for column, rail in rails.items() if cells.get(column, " ") in "│|"}
        rails[node] = name
        joined, above = set(), drawn
    return edges


@examples(200)
@given(dags(), st.booleans())
def test_whoever_follows_the_rails_finds_every_dependency_and_no_other(drawn: Dag, is_ascii: bool):
    text = as_text(drawn, width=300, is_ascii=is_ascii)

    assert read_rails(text) == edges_of(drawn)


@examples(60)
@given(dags(most=30), st.integers(30, 120))
def test_no_line_is_wider_than_asked_for(drawn: Dag, width: int):
    text = as_text(drawn, width=width)

    assert max(map(len, text.splitlines())) <= width


def test_a_task_is_one_line_with_its_kind_what_it_does_and_how_often():
    text = as_text(ETL)

    assert text == (
        "nightly (4 tasks): Every night\n"
        "\n"
        "●    discover  python  etl.py:discover\n"
        "├─╮\n"
        "│ ◉  process   shell   ./process.sh     for each discover.files, 4 at once\n"
        "│ │\n"
        "│ ●  publish   shell   ./publish.sh     when discover.count > 0\n"
        "├─╯\n"
        "●    alert     shell   ./alert.sh       also after a failure\n"
    )


def test_text_for_a_poor_terminal_has_nothing_but_ascii():
    text = as_text(dag(*ETL.tasks.values(), description="Jede Nacht für 東京"), is_ascii=True)

    assert text.isascii()
    assert "*    discover" in text
    assert "|-" not in text.replace("+-.", "")
    assert "+-." in text


def test_where_rails_would_take_half_of_the_width_tasks_are_listed_with_what_they_depend_on():
    wide = dag(*(task(f"part_{n}") for n in range(40)), task("join", *(f"part_{n}" for n in range(40))))

    lines = as_text(wide, width=80).splitlines()

    assert lines[2] == "1  part_0   shell  ./part_0.sh"
    assert lines[-1].startswith("2  join     shell  ./join.sh     after part_0, part_1, part_2,")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_task_is_named_and_says_what_it_does(kind: str):
    said = {
        "shell": "./run --all",
        "python": "shop.tasks:main",
        "workflow": "other",
        "approval": "Ship it?",
        "signal": "paid",
        "sleep": "2d1h30m0.005s",
    }
    drawn = dag(task("it", work=KINDS[kind]))

    assert as_text(drawn).splitlines()[-1].split(maxsplit=3) == ["●", "it", kind, said[kind]]
    assert f"{kind}: " in as_mermaid(drawn)


@pytest.mark.parametrize(
    ("fan_out", "concurrency", "said"),
    [
        (Times(4), None, "4 times"),
        (Times(Ref(("input", "shards"))), 2, "input.shards times, 2 at once"),
        (Each(Ref(("tasks", "a", "output"))), None, "for each a"),
        (Each(Ref(("tasks", "a", "output", "rows", 0, "a key"))), None, 'for each a.rows[0]["a key"]'),
    ],
)
def test_a_fan_out_says_over_what_as_people_write_it(fan_out: Any, concurrency: int | None, said: str):
    drawn = dag(task("a"), task("b", "a", fan_out=fan_out, concurrency=concurrency))

    assert as_text(drawn).splitlines()[-1].endswith(f"  {said}")


def test_a_command_of_several_lines_and_control_characters_stays_on_its_line():
    drawn = dag(task("a", work=ShellCommand("set -e\n\techo \x1b[31mred\u202e\x00; done")))

    last = as_text(drawn).splitlines()[-1]

    assert last == "●  a  shell  set -e echo [31mred ; done"


@pytest.mark.parametrize(
    "large",
    [
        dag(*(task(f"t{n}") for n in range(5000)), task("join", *(f"t{n}" for n in range(5000)))),
        dag(task("t0"), *(task(f"t{n}", f"t{n - 1}") for n in range(1, 5000))),
        dag(task("t0"), *(task(f"t{n}", *{f"t{n - 1}", f"t{n // 2}"}) for n in range(1, 5000))),
    ],
    ids=["wide", "deep", "tangled"],
)
def test_five_thousand_tasks_are_drawn_all_the_same(large: Dag):
    assert len(as_text(large).splitlines()) >= 5000
    assert as_mermaid(large).count("\n") > 5000


HOSTILE: Sequence[str] = [
    '</text><script>alert("x")</script>',
    "\x00\x08\x1b[31m\ud800\ufffe\u202e",
    "a & b <c> \"d\" 'e' ]]> <!-- -- `f` #quot; *g* _h_",
    "宽" * 200,
    "x" * 5000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=["markup", "control", "quotes", "wide", "long"])
def test_whatever_people_write_is_text_in_a_drawing(text: str):
    drawn = dag(
        task("a", work=ShellCommand(text), description=text),
        task("b", "a", work=ApprovalTask(text), when=Expression.parse("'x' == 'y'")),
        task("c", "b", work=SignalTask(text)),
        description=text,
    )

    assert as_text(drawn).encode().isascii() or len(as_text(drawn).splitlines()) == 7
    assert "<script" not in as_mermaid(drawn)
    assert len(as_mermaid(drawn).encode().splitlines()) == 6


# --- Mermaid


def test_mermaid_has_a_line_for_each_task_and_each_edge():
    assert as_mermaid(ETL) == (
        "flowchart LR\n"
        '    t1("<b>discover</b><br/>python: etl.py:discover")\n'
        '    t2["<b>process</b><br/>shell: ./process.sh<br/><i>for each discover.files, 4 at once</i>"]\n'
        '    t3["<b>publish</b><br/>shell: ./publish.sh<br/><i>when discover.count #62; 0</i>"]\n'
        '    t4["<b>alert</b><br/>shell: ./alert.sh<br/><i>also after a failure</i>"]\n'
        "    t1 --> t2\n"
        "    t2 --> t3\n"
        "    t3 -.-> t4\n"
        "    t1 -.-> t4\n"
    )


@pytest.mark.parametrize("text", HOSTILE, ids=["markup", "control", "quotes", "wide", "long"])
def test_whatever_people_write_stays_inside_its_quotes_in_mermaid(text: str):
    line = as_mermaid(dag(task("end", work=ShellCommand(text)))).splitlines()[1]

    assert re.fullmatch(r'    t1\["<b>end</b><br/>shell:[^"<>`*_]*"\]', line)


def test_kinds_differ_in_their_shape_in_mermaid():
    drawn = dag(*(task(f"it{n}", work=work) for n, work in enumerate(KINDS.values())))

    shapes = {
        re.sub(r'"[^"]*"', "", line).lstrip(" t0123456789") for line in as_mermaid(drawn).splitlines()[1:]
    }

    assert shapes == {"[]", "()", "[[]]", "{{}}", ">]", "([])"}
