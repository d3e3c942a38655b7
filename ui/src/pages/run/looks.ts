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
  attempts: number;
  note: string;
}
export interface KnownGraph {
  graph: { nodes: readonly { id: string; kind: string }[] };
  nodes: readonly KnownNode[];
}

const ENDED = ["success", "failed", "skipped", "cancelled"];
const PERSON = /^(approval|promise|question)$/;
const WAITS = /^(signal|sleep|timer|event|child|workflow|subflow)$/;

export function looksOf({ graph, nodes }: KnownGraph, now: number): Record<string, NodeLook> {
  const kinds = new Map(graph.nodes.map((each) => [each.id, each.kind]));
  const looks: Record<string, NodeLook> = {};
  for (const node of nodes) {
    const kind = kinds.get(node.id) ?? "";
    const done = ENDED.reduce((sum, state) => sum + (node.states[state] ?? 0), 0);
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

/** How long it took and what else is worth saying; a fan-out says how many are done instead, and how many failed. */
function noteOf(node: KnownNode, done: number, isPerson: boolean, now: number): string {
  if (node.count > 1) {
    const failed = node.states.failed ?? 0;
    return `${failed ? `${count(failed)} failed, ` : ""}${count(done)} of ${count(node.count)}`;
  }
  const isUnderWay = node.state === "running";
  if (!node.began_at || (!node.ended_at && !isUnderWay)) return node.note;
  const took = duration(between(node.began_at, node.ended_at, now));
  const time = isPerson ? `${isUnderWay ? "waits" : "waited"} ${took}` : took;
  return node.note ? `${time}, ${node.note}` : time;
}
