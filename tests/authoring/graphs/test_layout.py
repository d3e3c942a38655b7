"""The layout of a graph: boxes that do not overlap, edges that join them, layers with few crossings."""

from __future__ import annotations

import random
import time
from itertools import combinations, pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from holdfast.authoring.graphs import layers
from holdfast.authoring.graphs.layers import Layers, arrange
from holdfast.authoring.graphs.layout import lay_out
from holdfast.authoring.graphs.positions import positions_across
from holdfast.core.graphs import Direction, Graph, GraphEdge, GraphLayout, GraphNode, PlacedLabel, PlacedNode

Edges = list[tuple[int, int]]
LABELS = ("", "ok", "approved", "a very long action of somebody who likes to write")


@st.composite
def acyclic(draw: st.DrawFn, most: int = 20) -> tuple[int, Edges]:
    count = draw(st.integers(1, most))
    order = draw(st.permutations(range(count)))
    edges: Edges = []
    for position in range(1, count):
        before = draw(st.sets(st.integers(0, position - 1), max_size=3))
        edges += [(order[each], order[position]) for each in sorted(before)]
    return count, edges


@st.composite
def any_edges(draw: st.DrawFn, most: int = 14) -> tuple[int, Edges]:
    """With cycles, loops, and edges that are there twice."""
    count = draw(st.integers(1, most))
    numbers = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(numbers, numbers), max_size=2 * count))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Of any edges, with a graph inside of some nodes."""
    nodes: list[GraphNode] = []
    edges: list[GraphEdge] = []

    def add(parent: str | None, depth: int) -> None:
        prefix = "" if parent is None else f"{parent}/"
        count, joined = draw(any_edges(most=6))
        for number in range(count):
            notes = tuple(draw(st.lists(st.text(max_size=80), max_size=2)))
            id = f"{prefix}{number}"
            nodes.append(
                GraphNode(id=id, title=id, kind="x", notes=notes, parent=parent, is_start=number == 0)
            )
            if depth < 3 and draw(st.integers(0, 4)) == 0:
                add(id, depth + 1)
        for a, b in joined:
            edges.append(GraphEdge(f"{prefix}{a}", f"{prefix}{b}", draw(st.sampled_from(LABELS))))

    add(None, 1)
    direction: Direction = draw(st.sampled_from(["right", "down"]))
    return Graph(name="g", noun="node", direction=direction, nodes=tuple(nodes), edges=tuple(edges))


def graph_of(count: int, edges: Edges) -> Graph:
    nodes = tuple(GraphNode(id=str(number), title=f"node {number}", kind="x") for number in range(count))
    joined = tuple(GraphEdge(str(a), str(b)) for a, b in edges)
    return Graph(name="g", noun="node", direction="right", nodes=nodes, edges=joined)


# --- layers


def layer_of(found: Layers) -> dict[int, int]:
    return {vertex: number for number, layer in enumerate(found.layers) for vertex in layer}


@examples(100)
@given(acyclic() | any_edges())
def test_an_edge_passes_through_every_layer_between_its_ends_once(case: tuple[int, Edges]):
    count, edges = case

    found = arrange(count, edges)

    number_of = layer_of(found)
    assert sorted(vertex for vertex in number_of if vertex < count) == list(range(count))
    assert set(found.routes) == {edge for edge in edges if edge[0] != edge[1]}
    for edge, route in found.routes.items():
        assert {route[0], route[-1]} == set(edge)
        assert [number_of[b] - number_of[a] for a, b in pairwise(route)] == [1] * (len(route) - 1)
        assert all(vertex >= count for vertex in route[1:-1])


@examples(60)
@given(acyclic())
def test_without_a_cycle_no_edge_leads_back(case: tuple[int, Edges]):
    found = arrange(*case)

    assert all(route[0] == edge[0] for edge, route in found.routes.items())


def test_a_cycle_begins_at_the_start():
    found = arrange(3, [(0, 1), (1, 2), (2, 0)], starts=[1])

    assert found.layers[0] == [1]
    assert found.routes[0, 1][0] == 1, "the edge that leads back to the start is the one turned round"


def crossings(found: Layers) -> int:
    """Every two edges between the same layers, held against each other."""
    index = {vertex: index for layer in found.layers for index, vertex in enumerate(layer)}
    steps = {step for route in found.routes.values() for step in pairwise(route)}
    number_of = layer_of(found)
    return sum(
        number_of[a] == number_of[c] and (index[a] - index[c]) * (index[b] - index[d]) < 0
        for (a, b), (c, d) in combinations(steps, 2)
    )


def test_edges_that_need_not_cross_do_not():
    rungs = [(number, 11 - number) for number in range(6)]
    across = [(6 + (number + shift) % 6, 12 + number) for number in range(5) for shift in (3, 4)]

    assert crossings(arrange(17, rungs + across)) == 0


def test_a_tree_is_drawn_without_crossings():
    order = [1, 7, 4, 2, 6, 3, 5, 15, 8, 14, 9, 13, 10, 12, 11]
    numbers = {name: number for number, name in enumerate(order)}

    assert crossings(arrange(15, [(numbers[name // 2], numbers[name]) for name in order[1:]])) == 0


@examples(60)
@given(acyclic() | any_edges())
def test_sweeping_never_makes_it_worse_than_the_order_of_the_graph(case: tuple[int, Edges]):
    swept = arrange(*case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "MOST_SWEPT", 0)
        plain = arrange(*case)

    assert crossings(swept) <= crossings(plain)


@examples(60)
@given(acyclic())
def test_edges_go_straight_where_there_would_be_too_many_bends(case: tuple[int, Edges]):
    is_long = any(len(route) > 2 for route in arrange(*case).routes.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "_MOST_BENDS", 0)
        straight = arrange(*case)
        layout = lay_out(graph_of(*case))

    assert all(len(route) == 2 for route in straight.routes.values()) or not is_long
    assert len(layout.edges) == len(case[1])


@examples(60)
@given(acyclic() | any_edges(), st.data())
def test_vertices_keep_their_order_and_the_room_that_they_need(case: tuple[int, Edges], data: st.DataObject):
    found = arrange(*case)
    sizes = {vertex: data.draw(st.integers(0, 50)) for layer in found.layers for vertex in layer}

    positions = positions_across(found, lambda vertex: sizes[vertex], 10.0)

    assert min(at - sizes[vertex] / 2 for vertex, at in positions.items()) == pytest.approx(0)
    for layer in found.layers:
        for upper, lower in pairwise(layer):
            between = positions[lower] - positions[upper] - (sizes[lower] + sizes[upper]) / 2
            assert between >= 10 / 2 - 1e-6, "half of it may go to make a long edge straight"


# --- the layout


def box(node: PlacedNode | PlacedLabel) -> tuple[float, float, float, float]:
    return node.x, node.y, node.x + node.width, node.y + node.height


def contains(outer: tuple[float, float, float, float], inner: tuple[float, float, float, float]) -> bool:
    e = 0.11
    return (
        outer[0] - e <= inner[0]
        and outer[1] - e <= inner[1]
        and inner[2] <= outer[2] + e
        and inner[3] <= outer[3] + e
    )


def are_apart(one: PlacedNode | PlacedLabel, other: PlacedNode | PlacedLabel) -> bool:
    a, b, e = box(one), box(other), 0.11  # places are rounded
    return a[2] <= b[0] + e or b[2] <= a[0] + e or a[3] <= b[1] + e or b[3] <= a[1] + e


@examples(80)
@given(graphs())
def test_boxes_do_not_overlap_and_lie_inside_of_their_parents(graph: Graph):
    layout = lay_out(graph)

    whole = (0.0, 0.0, layout.width, layout.height)
    places = {node.id: node for node in layout.nodes}
    assert list(places) == [node.id for node in graph.nodes]
    for siblings in graph.inside().values():
        for one, other in combinations(siblings, 2):
            assert are_apart(places[one.id], places[other.id])
    for node in graph.nodes:
        outer = whole if node.parent is None else box(places[node.parent])
        assert contains(outer, box(places[node.id]))


@examples(80)
@given(graphs())
def test_an_edge_leads_from_the_right_of_one_box_to_the_left_of_the_other_also_if_it_leads_back(graph: Graph):
    layout = lay_out(graph)

    whole = (0.0, 0.0, layout.width, layout.height)
    places = {node.id: node for node in layout.nodes}
    assert [(edge.source, edge.target) for edge in layout.edges] == [
        (edge.source, edge.target) for edge in graph.edges
    ]
    for edge in layout.edges:
        source, target = box(places[edge.source]), box(places[edge.target])
        assert edge.points[0] == pytest.approx((source[2], (source[1] + source[3]) / 2), abs=0.11)
        assert edge.points[-1] == pytest.approx((target[0], (target[1] + target[3]) / 2), abs=0.11)
        assert edge.points[-2][0] < edge.points[-1][0], "the arrow leads to the right"
        assert all(contains(whole, (*point, *point)) for point in edge.points)


@examples(80)
@given(graphs())
def test_what_edges_say_stands_above_them_and_lies_on_nothing(graph: Graph):
    check_labels(graph)


def check_labels(graph: Graph) -> None:
    layout = lay_out(graph)
    said = {
        (edge.source, edge.target): edge.label for edge in reversed(layout.edges) if edge.label is not None
    }
    whole = (0.0, 0.0, layout.width, layout.height)
    parents = {node.parent for node in graph.nodes}
    boxes = [node for node in layout.nodes if node.id not in parents]
    assert set(said) == {(edge.source, edge.target) for edge in graph.edges if edge.label}
    for one, other in combinations(said.values(), 2):
        assert are_apart(one, other)
    for label in said.values():
        assert contains(whole, box(label))
        assert all(are_apart(label, node) for node in boxes)
    for edge in layout.edges:
        for (x, y), (to_x, to_y) in pairwise(edge.points):
            line = PlacedLabel("", min(x, to_x), min(y, to_y), abs(to_x - x), abs(to_y - y))
            assert all(are_apart(line, label) for label in said.values()), (edge, line)
            assert all(are_apart(line, node) for node in boxes), (edge, line)


def test_edges_with_the_same_ends_are_one_line_that_says_what_all_of_them_say():
    graph = graph_of(2, [(0, 1), (0, 1), (0, 1)])
    actions = ("approved", "rejected", "approved")
    edges = tuple(GraphEdge("0", "1", action) for action in actions)

    first, *others = lay_out(msgspec.structs.replace(graph, edges=edges)).edges

    assert first.label is not None
    assert first.label.text == "approved, rejected"
    assert [(edge.points, edge.label) for edge in others] == [(first.points, None)] * 2


def test_a_loop_goes_round_its_box():
    found = lay_out(graph_of(1, [(0, 0)]))

    (node,), (edge,) = found.nodes, found.edges
    assert max(y for _, y in edge.points) > node.y + node.height
    assert max(x for x, _ in edge.points) > node.x + node.width
    assert min(x for x, _ in edge.points) < node.x


def test_a_chain_is_a_straight_line_whatever_its_edges_say():
    graph = graph_of(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    edges = tuple(GraphEdge(str(each), str((each + 1) % 4), "next") for each in range(4))

    layout = lay_out(msgspec.structs.replace(graph, edges=edges))

    assert len({node.y for node in layout.nodes}) == 1
    assert [len(edge.points) for edge in layout.edges] == [2, 2, 2, 6], "the last one leads back in one line"


def test_the_way_that_leads_back_is_above_where_it_comes_from_above():
    """1 leads to 2 and 3, and 2, which is above 3, back to 0: below the others it would cross them."""
    layout = lay_out(graph_of(4, [(0, 1), (1, 2), (1, 3), (2, 0)]))

    places = {node.id: node for node in layout.nodes}
    back = layout.edges[3]
    assert places["2"].y < places["3"].y
    assert min(y for _, y in back.points) < min(node.y for node in layout.nodes)


@examples(40)
@given(graphs())
def test_the_same_graph_has_the_same_layout_and_it_is_data(graph: Graph):
    layout = lay_out(graph)

    assert lay_out(graph) == layout
    assert msgspec.json.decode(msgspec.json.encode(layout), type=GraphLayout) == layout


def test_a_graph_without_nodes_takes_no_room():
    assert lay_out(graph_of(0, [])) == GraphLayout(0.0, 0.0, (), ())


def test_a_layout_leads_to_the_right_whatever_the_direction_of_the_text_is():
    right = lay_out(graph_of(2, [(0, 1)]))
    down = lay_out(msgspec.structs.replace(graph_of(2, [(0, 1)]), direction="down"))

    assert right.nodes[0].x + right.nodes[0].width < right.nodes[1].x
    assert down == right


def test_a_box_is_as_wide_as_its_title_within_limits_and_as_the_others_of_its_layer():
    titles = ("a", "b" * 20, "c" * 100)
    nodes = tuple(GraphNode(id=title[0], title=title, kind="x") for title in titles)
    graph = msgspec.structs.replace(graph_of(0, []), nodes=nodes, edges=(GraphEdge("a", "c"),))

    a, b, c = lay_out(graph).nodes

    assert a.width == b.width == pytest.approx(20 * 7.4 + 46)
    assert c.width == 224


@pytest.mark.parametrize(
    "edges",
    [
        [(number, number + 1) for number in range(999)],
        [(0, number) for number in range(1, 1000)],
        [edge for number in range(2, 1000) for edge in ((number - 1, number), (number // 2, number))],
        [edge for number in range(10, 1000) for edge in ((number - 10, number), (number - 7, number))],
        [((number * 7) % 1000, (number * 13 + 5) % 1000) for number in range(1500)],
    ],
    ids=["deep", "wide", "tangled", "braided", "cyclic"],
)
def test_a_thousand_nodes_are_laid_out_within_a_second(edges: Edges):
    graph = graph_of(1000, edges)

    start = time.process_time()
    lay_out(graph)

    assert time.process_time() - start < 3, "a second on an idle machine"


def test_a_thousand_graphs_have_boxes_and_labels_that_lie_on_nothing():
    """Up to 120 nodes, with loops and edges over many layers: sizes that the examples above do not have."""
    for seed in range(1_000):
        dice = random.Random(seed)
        count = dice.choice((4, 8, 12, 20)) if seed % 50 else 120
        drawn = {(dice.randrange(count), dice.randrange(count)) for _ in range(int(count * 1.4))}
        edges = tuple(GraphEdge(str(a), str(b), dice.choice(LABELS)) for a, b in sorted(drawn))
        graph = msgspec.structs.replace(graph_of(count, []), edges=edges)
        for one, other in combinations(lay_out(graph).nodes, 2):
            assert are_apart(one, other), (seed, one.id, other.id)
        if count < 20:
            check_labels(graph)
