import { expect, test } from "vitest";
import { BOX_HEIGHT, compact } from "./compact";
import type { DrawnGraph, DrawnLayout } from "./model";

/** A graph of layers of names, as the server would place it: wide boxes, from the top down. */
function drawn(layers: string[][], edges: [string, string][]): [DrawnGraph, DrawnLayout] {
  const nodes = layers.flatMap((names, layer) =>
    names.map((id, order) => ({ id, x: order * 300, y: layer * 120, width: 280, height: 60, layer, order })),
  );
  const centre = (id: string): number[] => {
    const node = nodes.find((each) => each.id === id);
    return node ? [node.x + 140, node.y + 30] : [0, 0];
  };
  return [
    {
      direction: "down",
      nodes: nodes.map(({ id }) => ({ id, title: id, kind: "python" })),
      edges: edges.map(([source, target]) => ({ source, target })),
    },
    {
      width: 900,
      height: 900,
      nodes,
      edges: edges.map(([source, target]) => ({ source, target, points: [centre(source), centre(target)] })),
    },
  ];
}

test("layers stand from left to right, and nodes of a layer do not overlap", () => {
  const { nodes } = compact(
    ...drawn(
      [["a"], ["b", "c", "d"], ["e"]],
      [
        ["a", "b"],
        ["a", "c"],
        ["a", "d"],
        ["c", "e"],
      ],
    ),
  );
  const at = Object.fromEntries(nodes.map((each) => [each.id, each]));

  expect((at.a?.x ?? 0) + (at.a?.width ?? 0)).toBeLessThan(at.b?.x ?? 0);
  expect(at.b?.x).toBe(at.d?.x);
  expect((at.c?.y ?? 0) - (at.b?.y ?? 0)).toBeGreaterThan(BOX_HEIGHT);
  expect((at.d?.y ?? 0) - (at.c?.y ?? 0)).toBeGreaterThan(BOX_HEIGHT);
});

test("a chain is a straight line", () => {
  const { nodes, edges } = compact(
    ...drawn(
      [["a"], ["b"], ["c"]],
      [
        ["a", "b"],
        ["b", "c"],
      ],
    ),
  );

  expect(new Set(nodes.map((each) => each.y)).size).toBe(1);
  expect(edges.map((each) => each.points.length)).toEqual([2, 2]);
});

test("one node between two stands in their middle", () => {
  const { nodes } = compact(
    ...drawn(
      [["a", "b"], ["c"]],
      [
        ["a", "c"],
        ["b", "c"],
      ],
    ),
  );
  const [a, b, c] = nodes;

  expect(c?.y).toBeCloseTo(((a?.y ?? 0) + (b?.y ?? 0)) / 2, 0);
});

test("a long edge passes beside the nodes between", () => {
  const [graph, layout] = drawn(
    [["a"], ["b"], ["c"]],
    [
      ["a", "b"],
      ["b", "c"],
      ["a", "c"],
    ],
  );
  const long = layout.edges[2];
  if (long)
    long.points = [
      [140, 30],
      [400, 150],
      [140, 270],
    ];

  const { nodes, edges } = compact(graph, layout);

  const b = nodes[1];
  const heights = (edges[2]?.points ?? [])
    .filter(([x = 0]) => x >= (b?.x ?? 0) && x <= (b?.x ?? 0) + (b?.width ?? 0))
    .map(([, y = 0]) => y);
  expect(heights.length).toBeGreaterThan(0);
  for (const y of heights) expect(y > (b?.y ?? 0) + BOX_HEIGHT || y < (b?.y ?? 0)).toBe(true);
});

test("an edge back ends at its target", () => {
  const { nodes, edges } = compact(
    ...drawn(
      [["a"], ["b"]],
      [
        ["a", "b"],
        ["b", "a"],
      ],
    ),
  );

  expect(edges[1]?.points[0]?.[0]).toBe(nodes[1]?.x);
  expect(edges[1]?.points.at(-1)?.[0]).toBe((nodes[0]?.x ?? 0) + (nodes[0]?.width ?? 0));
});

test("nodes within nodes keep the places of the server", () => {
  const [graph, layout] = drawn([["a"], ["b"]], [["a", "b"]]);
  const nested = {
    ...graph,
    nodes: graph.nodes.map((each, index) => (index ? { ...each, parent: "a" } : each)),
  };

  expect(compact(nested, layout)).toBe(layout);
});

test("an empty graph can be drawn", () => {
  const empty = { width: 0, height: 0, nodes: [], edges: [] };

  expect(compact({ nodes: [] }, empty)).toBe(empty);
});

/** Numbers that are the same in every run of the tests. */
function drawing(seed: number): (most: number) => number {
  let state = seed + 1;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
}

test("the boxes of 1,000 graphs with loops and long edges do not overlap, and lie inside of the picture", () => {
  for (let seed = 0; seed < 1_000; seed += 1) {
    const draw = drawing(seed);
    const layers = Array.from({ length: 1 + draw(8) }, (_, layer) =>
      Array.from({ length: 1 + draw(8) }, (_, order) => `${layer}-${order}${"x".repeat(draw(30))}`),
    );
    const names = layers.flat();
    const pick = (): string => names[draw(names.length)] ?? "";
    const edges = Array.from({ length: draw(2 * names.length) }, (): [string, string] => [pick(), pick()]);
    const made = compact(...drawn(layers, edges));
    expect(made.nodes).toHaveLength(names.length);
    for (const [index, one] of made.nodes.entries()) {
      const isInside =
        one.x >= 0 &&
        one.y >= 0 &&
        one.x + one.width <= made.width + 0.001 &&
        one.y + one.height <= made.height + 0.001;
      if (!isInside) throw new Error(`seed ${seed}: ${one.id} is outside`);
      for (const other of made.nodes.slice(index + 1)) {
        const isApart =
          one.x + one.width <= other.x + 0.001 ||
          other.x + other.width <= one.x + 0.001 ||
          one.y + one.height <= other.y + 0.001 ||
          other.y + other.height <= one.y + 0.001;
        if (!isApart) throw new Error(`seed ${seed}: ${one.id} and ${other.id} overlap`);
      }
    }
  }
}, 60_000);
