// What a run has not asked for yet, as its definition says it.
import type { DrawnGraph, NodeLook } from "../../../parts/graph/model";

export interface Ahead {
  id: string;
  title: string;
  state: string;
  note: string;
}

/** Nodes that have not begun, with what must end first. */
export function aheadOf(
  graph: DrawnGraph,
  states: Record<string, NodeLook>,
  asked: ReadonlySet<string>,
): Ahead[] {
  return graph.nodes
    .filter((node) => !asked.has(node.id) && !asked.has(node.title))
    .map((node) => ({ node, look: states[node.id] }))
    .filter(({ look }) => look !== undefined && (look.state === "pending" || look.state === "skipped"))
    .map(({ node, look }) => ({
      id: node.id,
      title: node.title,
      state: look?.state ?? "pending",
      note: [
        look?.state === "skipped" ? "was skipped" : after(graph, node.id),
        look?.note,
        ...(node.notes ?? []),
      ]
        .filter(Boolean)
        .join("; "),
    }));
}

function after(graph: DrawnGraph, id: string): string {
  const sources = (graph.edges ?? [])
    .filter((edge) => edge.target === id && edge.source !== id)
    .map((edge) => edge.source);
  if (sources.length === 0) return "";
  const last = sources[sources.length - 1] ?? "";
  return `after ${sources.length > 1 ? `${sources.slice(0, -1).join(", ")} and ` : ""}${last}`;
}
