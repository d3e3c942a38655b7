// What a version does differently: sentences of the changes, with their paths, and marks for the graph.
import type { WorkflowChange } from "../../api/schema";
import type { Difference, DrawnGraph, DrawnLayout } from "../../parts/graph/model";
import { duration } from "../../text/durations";

export interface Words {
  text: string;
  /** `name` of a node, `now` as it is, `was` as it was. */
  kind: "" | "name" | "now" | "was";
}
export interface Sentence {
  mark: "+" | "~" | "−";
  words: Words[];
  path: string;
}

type Step = string | number;

/** The steps of a path such as `$.nodes["a b"].cases[0]`. */
export function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const match of path.slice(1).matchAll(/\.([^.[]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (match[1] !== undefined) steps.push(match[1]);
    else if (match[2] !== undefined) steps.push(Number(match[2]));
    else if (match[3] !== undefined) steps.push(String(JSON.parse(match[3])));
  }
  return steps;
}

interface Place {
  /** The id of the node in the graph: `checkout/charge`; "" if it is not about a node. */
  node: string;
  /** What is below the node, or the whole path. */
  rest: Step[];
  isEdge: boolean;
}

/** Which node a path is about. Nodes of subflows are inside of others. */
export function placeOf(path: string): Place {
  const steps = stepsOf(path);
  const ids: string[] = [];
  let at = 0;
  while (at + 1 < steps.length) {
    const [first, key] = [steps[at], String(steps[at + 1])];
    if (first === "edges") return { node: [...ids, key].join("/"), rest: steps.slice(at + 2), isEdge: true };
    if (first !== "nodes" && first !== "tasks") break;
    ids.push(key);
    at += 2;
    if (steps[at] !== "subflow") break;
    at += 1;
  }
  return { node: ids.join("/"), rest: steps.slice(at), isEdge: false };
}

const LONGEST = 60;

/** A value on one line, cut if it is long. */
export function shownValue(value: unknown, key: Step | undefined): string {
  if (typeof value === "number" && typeof key === "string") {
    if (/_ms$/.test(key)) return duration(value / 1000);
    if (/(^|_)(timeout|delay|seconds|first_delay|max_delay)$/.test(key)) return duration(value);
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = (text ?? "nothing").replace(/\s+/g, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line || "nothing";
}

/** `max attempts of retries`: the innermost first, without the unit of milliseconds. */
export function namedField(rest: Step[]): string {
  const names = rest.filter((step): step is string => typeof step === "string" && step !== "params");
  return names
    .map((name) => name.replace(/_ms$/, "").replaceAll("_", " "))
    .reverse()
    .join(" of ");
}

export function sentenceOf(change: WorkflowChange): Sentence {
  const place = placeOf(change.path);
  const mark = change.kind === "added" ? "+" : change.kind === "removed" ? "−" : "~";
  return { mark, words: place.isEdge ? edgeWords(change, place) : wordsOf(change, place), path: change.path };
}

function edgeWords(change: WorkflowChange, place: Place): Words[] {
  const action = place.rest.length ? String(place.rest[0]) : "";
  const begin: Words[] = [{ text: "From ", kind: "" }, name(place.node), { text: ", ", kind: "" }];
  const label = action && action !== "default" ? `${action} ` : "it ";
  if (change.kind === "removed")
    return [...begin, { text: `${label}no longer leads to `, kind: "" }, name(change.before), dot];
  const now: Words[] = [...begin, { text: `${label}leads to `, kind: "" }, name(change.after)];
  if (change.kind === "added") return [...now, dot];
  return [...now, { text: " instead of ", kind: "" }, { text: String(change.before), kind: "was" }, dot];
}

function wordsOf(change: WorkflowChange, place: Place): Words[] {
  const key = place.rest.findLast((step) => typeof step === "string");
  const after: Words = { text: shownValue(change.after, key), kind: "now" };
  const before: Words = { text: shownValue(change.before, key), kind: "was" };
  if (place.node && place.rest.length === 0) return wholeWords(change, place.node);
  const field = namedField(place.rest) || change.path;
  const subject: Words[] = place.node
    ? [name(place.node), { text: `: ${field} `, kind: "" }]
    : [{ text: `${field.charAt(0).toUpperCase()}${field.slice(1)} `, kind: "" }];
  if (change.kind === "added") return [...subject, { text: "is new: ", kind: "" }, after, dot];
  if (change.kind === "removed") return [...subject, { text: "is gone; it was ", kind: "" }, before, dot];
  return [...subject, { text: "is ", kind: "" }, after, { text: " instead of ", kind: "" }, before, dot];
}

const dot: Words = { text: ".", kind: "" };
const name = (id: unknown): Words => ({ text: String(id), kind: "name" });

function wholeWords(change: WorkflowChange, node: string): Words[] {
  if (change.kind === "removed") return [name(node), { text: " is gone.", kind: "" }];
  if (change.kind !== "added")
    return [
      name(node),
      { text: " is another: ", kind: "" },
      { text: shownValue(change.after, undefined), kind: "now" },
      dot,
    ];
  const what = whatOf(change.after);
  return [name(node), { text: what ? ` is new: ${what}.` : " is new.", kind: "" }];
}

/** What a new node does, as far as its text says it in few words. */
function whatOf(value: unknown): string {
  if (value === null || typeof value !== "object") return "";
  const node = value as Record<string, unknown>;
  const texts: string[] = [];
  if (typeof node.kind === "string") texts.push(node.kind);
  const work = ["command", "function", "func", "service", "workflow", "file"].find(
    (each) => typeof node[each] === "string",
  );
  if (work) texts.push(`${work} ${shownValue(node[work], undefined)}`);
  if (Array.isArray(node.depends_on) && node.depends_on.length)
    texts.push(`after ${shownValue(node.depends_on.join(", "), undefined)}`);
  return texts.join(", ");
}

/** How each node differs. A node whose edges alone have changed counts as changed in a DAG only: there they are its own. */
export function differencesOf(changes: WorkflowChange[]): Record<string, Difference> {
  const found: Record<string, Difference> = {};
  for (const change of changes) {
    const { node, rest, isEdge } = placeOf(change.path);
    if (!node || isEdge) continue;
    if (rest.length > 0) found[node] ??= "changed";
    else found[node] = change.kind === "added" ? "new" : change.kind === "removed" ? "gone" : "changed";
  }
  return found;
}

const ROOM = 40;

/** The graph with the nodes that are gone in a row below it, as ghosts without edges. */
export function withGhosts(
  now: { graph: DrawnGraph; layout: DrawnLayout },
  before: { graph: DrawnGraph; layout: DrawnLayout } | null,
  differences: Record<string, Difference>,
): { graph: DrawnGraph; layout: DrawnLayout } {
  const gone = (before?.graph.nodes ?? []).filter((node) => differences[node.id] === "gone" && !node.parent);
  if (!before || gone.length === 0) return now;
  const placeOfNode = new Map(before.layout.nodes.map((each) => [each.id, each]));
  const top = now.layout.height + ROOM;
  let x = 0;
  const placed = gone.flatMap((node) => {
    const place = placeOfNode.get(node.id);
    if (!place) return [];
    // Where it was, unless another ghost is there.
    x = Math.max(x, Math.min(place.x, Math.max(0, now.layout.width - place.width)));
    const ghost = { ...place, x, y: top };
    x += place.width + ROOM;
    return [ghost];
  });
  const width = Math.max(now.layout.width, ...placed.map((each) => each.x + each.width));
  const height = Math.max(...placed.map((each) => each.y + each.height));
  return {
    graph: { ...now.graph, nodes: [...now.graph.nodes, ...gone] },
    layout: { ...now.layout, width, height, nodes: [...now.layout.nodes, ...placed] },
  };
}
