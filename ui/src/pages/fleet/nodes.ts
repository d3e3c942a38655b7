// Nodes by name, by state and in order.
import type { NodeInfo } from "../../api/schema";
import { counted } from "../../text/numbers";

/** `atlas-1`, or `vm:14349` if a host has several nodes. */
export function nodeName(node: Pick<NodeInfo, "id" | "host" | "process">, all: readonly NodeInfo[]): string {
  const isAlone = all.filter((each) => each.host === node.host).length === 1;
  if (isAlone && node.host) return node.host;
  return node.process === null ? node.id : `${node.host}:${node.process}`;
}

export type NodeState = "running" | "waiting" | "paused" | "lost";

/** Paused: it stops. Lost: it is not there; it is so for a while after an orderly stop, too, but then it has no runs. */
export function nodeState(node: NodeInfo, held: number): NodeState {
  if (!node.is_alive) return "lost";
  if (node.is_stopping) return "paused";
  return held > 0 || node.runs > 0 ? "running" : "waiting";
}

/** Those that are there first, by name; then the lost ones, those that still have runs before others. */
export function nodesInOrder(nodes: readonly NodeInfo[]): NodeInfo[] {
  return [...nodes].sort((left, right) => {
    if (left.is_alive !== right.is_alive) return left.is_alive ? -1 : 1;
    if (!left.is_alive && left.runs !== right.runs) return right.runs - left.runs;
    return left.host.localeCompare(right.host) || left.id.localeCompare(right.id);
  });
}

/** What a node does, in words. `tasks` are those that it has in its slots. */
export function doesText(node: NodeInfo, tasks: number): string {
  if (!node.is_alive)
    return node.runs > 0 ? `is not there, and has ${counted(node.runs, "run")}` : "is not there";
  if (node.is_stopping) return tasks > 0 ? `stops, ${counted(tasks, "task")} left` : "stops";
  return node.runs > 0 || tasks > 0 ? "works" : "has nothing to do";
}
