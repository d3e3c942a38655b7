"""Drawings say what the DAG says: one in text is read back here, line by line, and has the same edges."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.authoring.dag.drawing import as_mermaid, as_svg, as_text, layers
from holdfast.authoring.dag.drawing.layers import Extent, Layout, lay_out, place
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
from holdfast.ports.executor import PythonFunction, ShellCommand

SVG = "{http://www.w3.org/2000/svg}"


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


@settings(max_examples=200, deadline=None)
@given(dags(), st.booleans())
def test_whoever_follows_the_rails_finds_every_dependency_and_no_other(drawn: Dag, is_ascii: bool):
    text = as_text(drawn, width=300, is_ascii=is_ascii)

    assert read_rails(text) == edges_of(drawn)


@settings(max_examples=60, deadline=None)
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
    assert f"{kind} {said[kind]}" in "".join(ElementTree.fromstring(as_svg(drawn)).itertext())
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


# --- layout


@settings(max_examples=60, deadline=None)
@given(dags(most=20))
def test_an_edge_passes_through_every_layer_between_its_ends_once(drawn: Dag):
    layout = lay_out(drawn)

    layer_of = {vertex: number for number, layer in enumerate(layout.layers) for vertex in layer}
    names = list(drawn.tasks)
    assert {(names[a], names[b]) for a, b in layout.routes} == edges_of(drawn)
    for route in layout.routes.values():
        assert [layer_of[b] - layer_of[a] for a, b in pairwise(route)] == [1] * (len(route) - 1)
        assert all(vertex >= layout.tasks for vertex in route[1:-1])


@settings(max_examples=60, deadline=None)
@given(dags(most=20), st.data())
def test_vertices_keep_their_order_and_the_room_that_they_need(drawn: Dag, data: st.DataObject):
    layout = lay_out(drawn)
    rooms = {
        vertex: Extent(data.draw(st.integers(0, 50)), data.draw(st.integers(0, 50)))
        for layer in layout.layers
        for vertex in layer
    }

    places = place(layout, lambda vertex: rooms[vertex], 10.0)

    assert min(places[vertex] - rooms[vertex].above for vertex in places) == pytest.approx(0)
    for layer in layout.layers:
        for upper, lower in pairwise(layer):
            between = places[lower] - rooms[lower].above - places[upper] - rooms[upper].below
            assert between >= 10 / 2 - 1e-6, "half of it may go to make a long edge level"


def crossings(layout: Layout) -> int:
    """Every two edges between the same layers, held against each other."""
    place = {vertex: index for layer in layout.layers for index, vertex in enumerate(layer)}
    steps = {step for route in layout.routes.values() for step in pairwise(route)}
    layer_of = {vertex: number for number, layer in enumerate(layout.layers) for vertex in layer}
    return sum(
        layer_of[a] == layer_of[c] and (place[a] - place[c]) * (place[b] - place[d]) < 0
        for (a, b), (c, d) in combinations(steps, 2)
    )


def test_edges_that_need_not_cross_do_not():
    ladder = dag(
        *(task(f"a{n}") for n in range(6)),
        *(task(f"b{n}", f"a{n}") for n in reversed(range(6))),
        *(task(f"c{n}", f"b{(n + 3) % 6}", f"b{(n + 4) % 6}") for n in range(5)),
    )

    assert crossings(lay_out(ladder)) == 0


def test_a_tree_is_drawn_without_crossings():
    tree = dag(
        task("t1"), *(task(f"t{n}", f"t{n // 2}") for n in [7, 4, 2, 6, 3, 5, 15, 8, 14, 9, 13, 10, 12, 11])
    )

    assert crossings(lay_out(tree)) == 0


@settings(max_examples=60, deadline=None)
@given(dags(most=20))
def test_sweeping_never_makes_it_worse_than_the_order_of_the_file(drawn: Dag):
    swept = lay_out(drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "_SWEPT_AT_MOST", 0)
        plain = lay_out(drawn)

    assert crossings(swept) <= crossings(plain)


@settings(max_examples=60, deadline=None)
@given(dags(most=20))
def test_edges_go_straight_where_there_would_be_too_many_bends(drawn: Dag):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "_MOST_BENDS", 0)
        layout = lay_out(drawn)
        picture = as_svg(drawn)

    is_long = any(len(route) > 2 for route in lay_out(drawn).routes.values())
    assert all(len(route) == 2 for route in layout.routes.values()) or not is_long
    assert picture.count('marker-end="') == len(edges_of(drawn))


@pytest.mark.parametrize(
    "large",
    [
        dag(*(task(f"t{n}") for n in range(5000)), task("join", *(f"t{n}" for n in range(5000)))),
        dag(task("t0"), *(task(f"t{n}", f"t{n - 1}") for n in range(1, 5000))),
        dag(task("t0"), *(task(f"t{n}", *{f"t{n - 1}", f"t{n // 2}"}) for n in range(1, 5000))),
    ],
    ids=["wide", "deep", "tangled"],
)
@pytest.mark.timeout(20)
def test_five_thousand_tasks_are_drawn_all_the_same(large: Dag):
    assert len(as_text(large).splitlines()) >= 5000
    assert as_mermaid(large).count("\n") > 5000
    assert as_svg(large).count("<g ") == len(large.tasks)


# --- SVG


def boxes(picture: str) -> dict[str, list[tuple[float, float, float, float]]]:
    """The outlines of each task: left, top, right, bottom. The last is the foremost."""
    found: dict[str, list[tuple[float, float, float, float]]] = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        outlines = found.setdefault(group.attrib["data-task"], [])
        for each in group:
            if each.attrib.get("class") != "box":
                continue
            if each.tag == f"{SVG}rect":
                left, top, width, height = (
                    float(each.attrib[name]) for name in ("x", "y", "width", "height")
                )
                outlines.append((left, top, left + width, top + height))
            elif each.tag == f"{SVG}polygon":
                corners = [tuple(map(float, each.split(","))) for each in each.attrib["points"].split()]
                columns, rows = [x for x, _ in corners], [y for _, y in corners]
                outlines.append((min(columns), min(rows), max(columns), max(rows)))
    return found


@settings(max_examples=60, deadline=None)
@given(dags(most=20))
def test_boxes_do_not_overlap_and_lie_on_the_paper(drawn: Dag):
    picture = as_svg(drawn)

    root = ElementTree.fromstring(picture)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    found = boxes(picture)
    assert set(found) == set(drawn.tasks)
    for outlines in found.values():
        for left, top, right, bottom in outlines:
            assert 0 < left < right < width
            assert 0 < top < bottom < height
    fronts = [outlines[-1] for outlines in found.values()]
    for a, b in combinations(fronts, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


@settings(max_examples=60, deadline=None)
@given(dags(most=12))
def test_an_edge_begins_at_the_box_of_one_task_and_ends_at_that_of_the_other(drawn: Dag):
    picture = as_svg(drawn)

    found = boxes(picture)
    seen: set[tuple[str, str]] = set()
    for path in ElementTree.fromstring(picture).iter(f"{SVG}path"):
        if not path.attrib["class"].startswith("edge"):
            continue
        before, after = path[0].text.split(" → ")  # type: ignore[union-attr]
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.attrib["d"])]
        source, target = found[before][-1], found[after][-1]
        assert -0.3 < numbers[0] - source[2] < 10.3, "the stack of a fan-out is in between"
        assert source[1] < numbers[1] < source[3]
        end = re.search(r"(?:H(?P<level>[\d.]+)| (?P<x>[\d.]+) (?P<y>[\d.]+))$", path.attrib["d"])
        assert end is not None
        assert float(end["level"] or end["x"]) == pytest.approx(target[0])
        assert end["y"] is None or target[1] < float(end["y"]) < target[3]
        seen.add((before, after))
    assert seen == edges_of(drawn)


def test_kinds_differ_in_their_outline_and_not_only_in_colour():
    outlines = set[str]()
    for kind, work in KINDS.items():
        picture = as_svg(dag(task("it", work=work)))
        group = next(ElementTree.fromstring(picture).iter(f"{SVG}g"))
        assert group.attrib["class"] == kind
        shapes = [
            (each.tag.removeprefix(SVG), each.attrib.get("rx"), len(each.attrib.get("points", "").split()))
            for each in group
            if each.attrib.get("class") == "box"
        ]
        outlines.add(repr(shapes))

    assert len(outlines) == len(KINDS)


def test_a_fan_out_is_a_stack_a_condition_a_note_and_after_a_failure_is_dashed():
    picture = as_svg(ETL)

    root = ElementTree.fromstring(picture)
    assert {name: len(outlines) for name, outlines in boxes(picture).items()} == {
        "discover": 1,
        "process": 3,
        "publish": 1,
        "alert": 1,
    }
    notes = {
        group.attrib["data-task"]
        for group in root.iter(f"{SVG}g")
        for each in group
        if each.get("class") == "note"
    }
    assert notes == {"publish", "alert"}
    dashed = [
        path[0].text for path in root.iter(f"{SVG}path") if path.attrib["class"] == "edge after-failure"
    ]
    assert dashed == ["publish → alert", "discover → alert"]


def test_the_picture_tells_those_who_do_not_see_it():
    root = ElementTree.fromstring(as_svg(ETL))

    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "title desc"
    said = {each.attrib["id"]: each.text or "" for each in root if "id" in each.attrib}
    assert said["title"] == "nightly"
    assert said["desc"].startswith("4 tasks. discover (python). process (shell), after discover.")


def test_the_picture_has_colours_for_light_and_dark_and_fetches_nothing():
    picture = as_svg(ETL)

    assert "@media (prefers-color-scheme: dark)" in picture
    assert re.findall(r"https?://[^\"' ]+", picture) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in picture
    assert "@import" not in picture


HOSTILE: Sequence[str] = [
    '</text><script>alert("x")</script>',
    "\x00\x08\x1b[31m\ud800\ufffe\u202e",
    "a & b <c> \"d\" 'e' ]]> <!-- -- `f` #quot; *g* _h_",
    "宽" * 200,
    "x" * 5000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=["markup", "control", "quotes", "wide", "long"])
def test_whatever_people_write_is_text_in_a_picture(text: str):
    drawn = dag(
        task("a", work=ShellCommand(text), description=text),
        task("b", "a", work=ApprovalTask(text), when=Expression.parse("'x' == 'y'")),
        task("c", "b", work=SignalTask(text)),
        description=text,
    )

    root = ElementTree.fromstring(as_svg(drawn).encode())

    allowed = {"svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text", "g", "polygon"}
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= allowed
    assert float(root.attrib["width"]) < 2000
    as_text(drawn).encode()


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
