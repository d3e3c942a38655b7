import type { RunGraph } from "../../api/schema";
import type { NodeLook } from "../../parts/graph/model";

/** The node at which the question is asked; null if the graph has none of that name. */
export function nodeOf(graph: Pick<RunGraph, "nodes">, name: string): string | null {
  const named = graph.nodes.filter((each) => each.name === name || each.id === name);
  return (named.find((each) => each.state === "running" || each.state === "pending") ?? named[0])?.id ?? null;
}

/** What became of each node, and that the run waits for a person at the one of the question. */
export function looksOf(graph: Pick<RunGraph, "nodes">, name: string): Record<string, NodeLook> {
  const here = nodeOf(graph, name);
  return Object.fromEntries(
    graph.nodes.map((each) => [
      each.id,
      {
        state: each.id === here ? "running" : each.state,
        waiting: each.id === here ? "approval" : null,
        note: each.note,
        count: each.count,
        done: each.states.success,
      },
    ]),
  );
}
