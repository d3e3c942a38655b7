// What a graph is drawn from: the graph and its layout as the server gives them, and what became of each node.
// The types say what the drawing needs, so that the graphs of runs and of workflows both fit.

export interface DrawnNode {
  id: string;
  title: string;
  kind: string;
  work?: string;
  notes?: readonly string[];
  parent?: string | null;
  is_start?: boolean;
  is_repeated?: boolean;
}
export interface DrawnEdge {
  source: string;
  target: string;
  label?: string;
  style?: string;
}
export interface DrawnGraph {
  name?: string;
  nodes: readonly DrawnNode[];
  edges?: readonly DrawnEdge[];
}
export interface Placed {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Routed {
  source: string;
  target: string;
  points: readonly (readonly number[])[];
  /** What it says, and where. */
  label?: { text: string; x: number; y: number; width: number; height: number } | null;
}
export interface DrawnLayout {
  width: number;
  height: number;
  nodes: readonly Placed[];
  edges: readonly Routed[];
}

/** What became of a node. Without one, the graph is a definition: every node is drawn as work to be done. */
export interface NodeLook {
  /** The state of a task: its mark is drawn. "" for no mark. */
  state: string;
  /** What the node waits for: "approval" for a person, any other text for what goes on by itself. */
  waiting?: string | null;
  /** The second line of the box; what the node does if it is missing. */
  note?: string;
  /** Of a fan-out: how many there are and how many are done. More than one is drawn as a stack with a meter. */
  count?: number;
  done?: number;
}

/** How a node differs from the version before. */
export type Difference = "new" | "changed" | "gone";

export type Shape = "work" | "person" | "choice" | "child" | "box";

const PERSON = /^(approval|promise|question)$/;
const CHOICE = /^(choice|branch)$/;
const CHILD = /^(workflow|subflow|child|call)$/;

/** Square corners are work, round ends a person, a hexagon a choice, a double line a child. */
export function shapeOf(node: DrawnNode, isAround = false): Shape {
  if (isAround) return "box";
  if (PERSON.test(node.kind)) return "person";
  if (CHOICE.test(node.kind)) return "choice";
  return CHILD.test(node.kind) ? "child" : "work";
}

export function isStacked(node: DrawnNode, look: NodeLook | undefined): boolean {
  return (look?.count ?? 0) > 1 || node.is_repeated === true || /^(foreach|parallel)$/.test(node.kind);
}

/** The outline of a shape in its box, as a path. */
export function outline(shape: Shape, width: number, height: number): string {
  if (shape === "choice") {
    const cut = Math.min(14, width / 4);
    return `M${cut} 0H${width - cut}L${width} ${height / 2}L${width - cut} ${height}H${cut}L0 ${height / 2}Z`;
  }
  const r = shape === "person" ? Math.min(height / 2, 18) : 2;
  return (
    `M${r} 0H${width - r}A${r} ${r} 0 0 1 ${width} ${r}V${height - r}A${r} ${r} 0 0 1 ${width - r} ${height}` +
    `H${r}A${r} ${r} 0 0 1 0 ${height - r}V${r}A${r} ${r} 0 0 1 ${r} 0Z`
  );
}

/** A path along the points with round corners. */
export function pathOf(points: readonly (readonly number[])[], radius = 8): string {
  const [first, ...rest] = points.map(([x = 0, y = 0]) => [x, y] as const);
  if (!first) return "";
  let path = `M${round(first[0])} ${round(first[1])}`;
  let before = first;
  rest.forEach((point, index) => {
    const next = rest[index + 1];
    if (!next) {
      path += `L${round(point[0])} ${round(point[1])}`;
      return;
    }
    const into = towards(point, before, radius);
    const out = towards(point, next, radius);
    path += `L${round(into[0])} ${round(into[1])}Q${round(point[0])} ${round(point[1])} ${round(out[0])} ${round(out[1])}`;
    before = point;
  });
  return path;
}

function towards(
  from: readonly [number, number],
  to: readonly [number, number],
  most: number,
): [number, number] {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const part = length === 0 ? 0 : Math.min(most, length / 2) / length;
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** How many characters of monospaced text fit. */
export function fitting(text: string, width: number, perCharacter: number): string {
  const most = Math.max(1, Math.floor(width / perCharacter));
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, most - 1).join("") + "…";
}

/** The node that an arrow key leads to: the nearest in that direction, sideways distance counts double. */
export function neighbour(nodes: readonly Placed[], from: string, key: string): string | null {
  const here = nodes.find((each) => each.id === from);
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!here || !way) return null;
  const [wayX = 0, wayY = 0] = way;
  let best: string | null = null;
  let least = Infinity;
  for (const each of nodes) {
    if (each.id === from) continue;
    const x = each.x + each.width / 2 - here.x - here.width / 2;
    const y = each.y + each.height / 2 - here.y - here.height / 2;
    const along = x * wayX + y * wayY;
    const across = Math.abs(x * wayY) + Math.abs(y * wayX);
    if (along <= 1) continue;
    const far = along + 2 * across;
    if (far < least) [best, least] = [each.id, far];
  }
  return best;
}
