// What a run asks for, by name: what the server sums up of tasks, children and questions, and of code the timers and
// signals that its journal has.
import type { RunGraph, TaskGroup } from "../../api/schema";

export type Group = Omit<TaskGroup, "kind"> & { kind: TaskGroup["kind"] | "timer" | "signal" };

/** In the order in which they were asked for first. */
export function groupsOf(groups: readonly TaskGroup[], graph: RunGraph | undefined): Group[] {
  const waits = graph?.source === "journal" ? waitsOf(graph) : [];
  if (waits.length === 0) return [...groups];
  return [...groups, ...waits].sort((one, other) => Date.parse(one.asked_at) - Date.parse(other.asked_at));
}

/** What a node is called where it is chosen: timers of code have the same name, whatever their lengths are. */
export function nameOf(graph: RunGraph, node: { id: string; name: string }): string {
  const drawn = graph.graph.nodes.find((each) => each.id === node.id);
  const isTimerOfCode = graph.source === "journal" && drawn?.kind === "timer";
  return isTimerOfCode && drawn.work ? `${node.name} ${drawn.work}` : node.name;
}

/**
 * Differs when a task has got another state, was tried again for the first time or was lost, and when the last of
 * its name has ended. A third attempt does not show in it if the states are the same before and after.
 */
export function versionOf(groups: readonly TaskGroup[]): string {
  return groups
    .map((each) =>
      [each.count, ...Object.values(each.states), each.retried, each.lost, each.ended_at ?? ""].join("."),
    )
    .join(" ");
}

function waitsOf(graph: RunGraph): Group[] {
  const kinds = new Map(graph.graph.nodes.map((each) => [each.id, each.kind]));
  return graph.nodes.flatMap((node): Group[] => {
    const kind = kinds.get(node.id);
    if ((kind !== "timer" && kind !== "signal") || !node.asked_at) return [];
    return [
      {
        name: nameOf(graph, node),
        kind,
        first_seq: 0,
        last_seq: 0,
        count: node.count,
        states: node.states,
        retried: 0,
        lost: 0,
        asked_at: node.asked_at,
        began_at: null,
        ended_at: node.ended_at ?? null,
        slowest_seq: null,
        slowest_took: null,
        median_took: null,
      },
    ];
  });
}
