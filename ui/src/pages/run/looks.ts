// What the nodes of a run's graph look like, from what the server says became of them.
import type { NodeLook } from "../../parts/graph/model";
import { between, duration } from "../../text/durations";
import { count } from "../../text/numbers";

export interface KnownNode {
  id: string;
  name: string;
  state: string;
  states: Record<string, number>;
  count: number;
  began_at?: string | null;
  ended_at?: string | null;
  first_seq?: number | null;
  attempts: number;
  note: string;
}
export interface KnownGraph {
  graph: { nodes: readonly { id: string; kind: string }[] };
  nodes: readonly KnownNode[];
}

const ENDED = ["success", "failed", "skipped", "cancelled"];
const PERSON = /^(approval|promise|question)$/;
const WAITS = /^(signal|sleep|timer|wait_event|child|workflow|subflow)$/;

/** `retries` has the times at which tasks are tried again, by their numbers. */
export function looksOf(
  { graph, nodes }: KnownGraph,
  now: number,
  retries: ReadonlyMap<number, string> = new Map(),
): Record<string, NodeLook> {
  const kinds = new Map(graph.nodes.map((each) => [each.id, each.kind]));
  const looks: Record<string, NodeLook> = {};
  for (const node of nodes) {
    const kind = kinds.get(node.id) ?? "";
    const done = ENDED.reduce((sum, state) => sum + (node.states[state] ?? 0), 0);
    if (node.count === 1 && node.state === "pending" && node.attempts > 1) {
      looks[node.id] = inBackoff(node, now, retries.get(node.first_seq ?? -1));
      continue;
    }
    looks[node.id] = {
      state: node.state,
      waiting: PERSON.test(kind) ? "approval" : WAITS.test(kind) ? kind : null,
      note: noteOf(node, done, PERSON.test(kind), now),
      count: node.count,
      done,
    };
  }
  return looks;
}

function inBackoff(node: KnownNode, now: number, at: string | undefined): NodeLook {
  const rest = at === undefined ? 0 : (Date.parse(at) - now) / 1000;
  const note = `attempt ${node.attempts} ${rest > 0 ? `in ${duration(rest)}` : "waits"}`;
  return { state: "running", waiting: "backoff", note, count: 1, done: 0 };
}

/** How long it took and what else is worth saying; a fan-out says how many are done instead, and how many failed. */
function noteOf(node: KnownNode, done: number, isPerson: boolean, now: number): string {
  if (node.count > 1) {
    const failed = node.states.failed ?? 0;
    if (failed && done === node.count) return `${count(failed)} of ${count(node.count)} failed`;
    return `${failed ? `${count(failed)} failed, ` : ""}${count(done)} of ${count(node.count)}`;
  }
  const isUnderWay = node.state === "running";
  if (!node.began_at || (!node.ended_at && !isUnderWay)) return node.note;
  const took = duration(between(node.began_at, node.ended_at, now));
  const time = isPerson ? `${isUnderWay ? "waits" : "waited"} ${took}` : took;
  return node.note ? `${time}, ${node.note}` : time;
}
