// The server places nodes for boxes that hold whole commands, in the direction of the document. The pages write two
// short lines into a box and have more width than height. So the layers, the order within them and the ways of long
// edges are the server's; the sizes and the places are made here, always from left to right.
import type { DrawnEdge, DrawnGraph, DrawnLayout, Placed, Routed } from "./model";

export const BOX_HEIGHT = 44;
const BETWEEN = 20;
const LANE = 14;
const GAP = 46;
const [NARROWEST, WIDEST] = [148, 224];

/** A node in its layer, or the place where a long edge passes it. */
interface Item {
  layer: number;
  /** Where the server has it across the layers: this is the order. */
  rank: number;
  half: number;
  y: number;
  before: Item[];
  after: Item[];
}

export function compact(graph: DrawnGraph, layout: DrawnLayout): DrawnLayout {
  const hasLayers = layout.nodes.every((each) => each.layer !== undefined);
  if (!hasLayers || layout.nodes.length === 0 || graph.nodes.some((each) => each.parent)) return layout;
  const isDown = graph.direction === "down";
  const nodes = new Map<string, Item>();
  for (const each of layout.nodes) {
    const rank = isDown ? each.x + each.width / 2 : each.y + each.height / 2;
    nodes.set(each.id, { layer: each.layer ?? 0, rank, half: BOX_HEIGHT / 2, y: 0, before: [], after: [] });
  }
  const depths = depthsOf(layout.nodes, isDown);
  const ways = layout.edges.map((edge) => wayOf(edge, nodes, depths, isDown));
  const layers: Item[][] = depths.map(() => []);
  for (const item of new Set([...nodes.values(), ...ways.flat()])) layers[item.layer]?.push(item);
  place(layers);
  return draw(graph, layout, nodes, ways, layers.length);
}

/** The middle of each layer, along the direction of the server's layout. */
function depthsOf(placed: readonly Placed[], isDown: boolean): number[] {
  const depths: number[] = [];
  const counts: number[] = [];
  for (const each of placed) {
    const layer = each.layer ?? 0;
    const middle = isDown ? each.y + each.height / 2 : each.x + each.width / 2;
    depths[layer] = (depths[layer] ?? 0) + middle;
    counts[layer] = (counts[layer] ?? 0) + 1;
  }
  return Array.from(depths, (sum, layer) => (sum ?? 0) / (counts[layer] ?? 1));
}

/** The items that an edge leads through, from the lower layer to the higher one; it joins them. */
function wayOf(edge: Routed, nodes: Map<string, Item>, depths: readonly number[], isDown: boolean): Item[] {
  const source = nodes.get(edge.source);
  const target = nodes.get(edge.target);
  if (!source || !target || source.layer === target.layer) return [];
  const [low, high] = source.layer < target.layer ? [source, target] : [target, source];
  const way = [low];
  for (let layer = low.layer + 1; layer < high.layer; layer += 1) {
    const rank = crossing(edge.points, depths[layer] ?? 0, isDown);
    way.push({ layer, rank, half: LANE / 2, y: 0, before: [], after: [] });
  }
  way.push(high);
  way.slice(1).forEach((item, index) => {
    const last = way[index];
    if (!last) return;
    item.before.push(last);
    last.after.push(item);
  });
  return way;
}

/** Where a way crosses a layer. */
function crossing(points: readonly (readonly number[])[], depth: number, isDown: boolean): number {
  const turned = points.map(([x = 0, y = 0]) => (isDown ? [y, x] : [x, y]) as [number, number]);
  for (let index = 1; index < turned.length; index += 1) {
    const [from = 0, first = 0] = turned[index - 1] ?? [];
    const [to = 0, second = 0] = turned[index] ?? [];
    if (Math.min(from, to) > depth || Math.max(from, to) < depth) continue;
    return from === to ? first : first + ((second - first) * (depth - from)) / (to - from);
  }
  return turned[0]?.[1] ?? 0;
}

/** Places across the layers: near to what an item is joined with, in order, and never one over the other. */
function place(layers: Item[][]): void {
  for (const layer of layers) {
    layer.sort((one, other) => one.rank - other.rank);
    settle(layer, () => 0);
  }
  for (let round = 0; round < 8; round += 1) {
    const isForth = round % 2 === 0;
    for (const layer of isForth ? layers : [...layers].reverse())
      settle(
        layer,
        (item) =>
          middle(isForth ? item.before : item.after) ?? middle([...item.before, ...item.after]) ?? item.y,
      );
  }
}

function middle(items: readonly Item[]): number | null {
  return items.length ? items.reduce((sum, each) => sum + each.y, 0) / items.length : null;
}

/** As near to what is wanted as the order and the distances allow: neighbours that collide move as one block. */
function settle(layer: readonly Item[], wanted: (item: Item) => number): void {
  let offset = 0;
  const blocks: { sum: number; items: { item: Item; offset: number }[] }[] = [];
  layer.forEach((item, index) => {
    const last = layer[index - 1];
    if (last)
      offset +=
        last.half + item.half + (item.half < BOX_HEIGHT / 2 && last.half < BOX_HEIGHT / 2 ? 2 : BETWEEN);
    blocks.push({ sum: wanted(item) - offset, items: [{ item, offset }] });
    for (let end = blocks.length - 1; end > 0; end -= 1) {
      const [block, before] = [blocks[end], blocks[end - 1]];
      if (!block || !before || before.sum / before.items.length <= block.sum / block.items.length) break;
      before.sum += block.sum;
      before.items.push(...block.items);
      blocks.pop();
    }
  });
  for (const block of blocks)
    for (const { item, offset: away } of block.items) item.y = block.sum / block.items.length + away;
}

function draw(
  graph: DrawnGraph,
  layout: DrawnLayout,
  nodes: Map<string, Item>,
  ways: readonly Item[][],
  count: number,
): DrawnLayout {
  const titles = new Map(graph.nodes.map((each) => [each.id, each.title]));
  const widths = new Array<number>(count).fill(0);
  for (const [id, item] of nodes)
    widths[item.layer] = Math.max(widths[item.layer] ?? 0, widthOf(titles.get(id) ?? id));
  const gaps = gapsBetween(graph.edges ?? [], nodes, count);
  const columns: number[] = [];
  let x = 0;
  widths.forEach((width, layer) => {
    columns.push(x);
    x += width + (layer < count - 1 ? (gaps[layer] ?? GAP) : 0);
  });
  const all = [...nodes.values(), ...ways.flat()];
  const top = Math.min(...all.map((each) => each.y - each.half)) - 8;
  for (const item of new Set(all)) item.y -= top;
  const rounded = (value: number) => Math.round(value * 10) / 10;
  return {
    width: x + 8,
    height: Math.max(...all.map((each) => each.y + each.half)) + 4,
    nodes: layout.nodes.map((each) => {
      const item = nodes.get(each.id);
      const layer = item?.layer ?? 0;
      const y = rounded((item?.y ?? 0) - BOX_HEIGHT / 2);
      return { ...each, x: columns[layer] ?? 0, y, width: widths[layer] ?? 0, height: BOX_HEIGHT };
    }),
    edges: layout.edges.map((edge, index) => {
      const points = pointsOf(ways[index] ?? [], columns, widths, nodes);
      const source = nodes.get(edge.source);
      const isBack = source !== undefined && ways[index]?.[0] !== source;
      const way = points.map(([a, b]) => [rounded(a), rounded(b)] as [number, number]);
      return { source: edge.source, target: edge.target, points: isBack ? way.reverse() : way };
    }),
  };
}

function widthOf(title: string): number {
  return Math.min(WIDEST, Math.max(NARROWEST, [...title].length * 7.4 + 46));
}

/** Room for the labels of the edges that begin in each layer. */
function gapsBetween(edges: readonly DrawnEdge[], nodes: Map<string, Item>, count: number): number[] {
  const gaps = new Array<number>(count).fill(GAP);
  for (const edge of edges) {
    const layer = Math.min(nodes.get(edge.source)?.layer ?? 0, nodes.get(edge.target)?.layer ?? 0);
    const room = GAP + Math.min(14, edge.label?.length ?? 0) * 5;
    gaps[layer] = Math.max(gaps[layer] ?? GAP, room);
  }
  return gaps;
}

/** Level within layers, and a step between two layers where the height changes. */
function pointsOf(
  way: readonly Item[],
  columns: readonly number[],
  widths: readonly number[],
  nodes: Map<string, Item>,
): [number, number][] {
  const points: [number, number][] = [];
  way.slice(1).forEach((item, index) => {
    const from = way[index];
    if (!from) return;
    const left = (columns[from.layer] ?? 0) + (widths[from.layer] ?? 0);
    const right = columns[item.layer] ?? 0;
    if (index === 0) points.push([left, from.y]);
    if (Math.abs(from.y - item.y) > 0.5) {
      const turn = left + (right - left) * shareOf(from, nodes);
      points.push([turn, from.y], [turn, item.y]);
    }
    points.push([right, item.y]);
    if (index < way.length - 2) points.push([(columns[item.layer] ?? 0) + (widths[item.layer] ?? 0), item.y]);
  });
  return points;
}

/** Edges of different sources turn at different places, so that they can be told apart. */
function shareOf(from: Item, nodes: Map<string, Item>): number {
  const peers = [...nodes.values()].filter((each) => each.layer === from.layer);
  if (peers.length < 2) return 0.45;
  const index = peers.filter((each) => each.y < from.y).length;
  return 0.3 + (0.35 * index) / peers.length;
}
