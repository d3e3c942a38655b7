// What the page of the fleet says in its sentences, and workers by what they serve.
import type { Backlog, NodeInfo, Queues, WorkerDetails } from "../../api/schema";
import type { Part } from "../../parts/Parts.svelte";
import { duration } from "../../text/durations";
import { count, counted } from "../../text/numbers";
import { nodeName } from "./nodes";
import { fullSentences } from "./queues";

export interface Service {
  name: string;
  online: number;
  known: number;
  how: string;
  busy: number;
  heardAt: string;
}

/** Workers by what they serve. A worker of several services counts with each. */
export function servicesOf(workers: readonly WorkerDetails[]): Service[] {
  const found = new Map<string, { workers: WorkerDetails[]; busy: number }>();
  for (const each of workers) {
    for (const name of each.worker.services) {
      const one = found.get(name) ?? { workers: [], busy: 0 };
      one.workers.push(each);
      one.busy += each.holds.filter((item) => item.service === name).length;
      found.set(name, one);
    }
  }
  return [...found]
    .map(([name, one]) => {
      const hows = new Set(one.workers.map((each) => (each.worker.type === "http" ? "called" : "asks")));
      return {
        name,
        online: one.workers.filter((each) => each.worker.is_online).length,
        known: one.workers.length,
        how: [...hows].sort().join(", "),
        busy: one.busy,
        heardAt: one.workers.reduce(
          (last, each) => (each.worker.heartbeat_at > last ? each.worker.heartbeat_at : last),
          "",
        ),
      };
    })
    .sort((left, right) => left.online - right.online || left.name.localeCompare(right.name));
}

export interface Situation {
  nodes: readonly NodeInfo[];
  queues: Queues;
  workers: readonly WorkerDetails[];
  backlog: Backlog | undefined;
  now: number;
}

/** What is so, the worst first: what waits for somebody who is not there, what was lost, what is behind. */
export function sentences(situation: Situation): { first: Part[]; more: Part[][] } {
  const { nodes, queues, workers, backlog } = situation;
  const alive = nodes.filter((each) => each.is_alive);
  const said: Part[][] = [];
  if (alive.length === 0) {
    const due = backlog?.due_runs ?? 0;
    const wait = due ? `, and ${counted(due, "run waits", "runs wait")} for one` : "";
    said.push([{ text: "No node is up", kind: "strong" }, { text: `${wait}.` }]);
  }
  for (const each of queues.services) {
    const isServed = workers.some(
      (one) => one.worker.is_online && one.worker.services.includes(each.service),
    );
    if (each.due === 0 || isServed) continue;
    said.push([
      { text: `${counted(each.due, "task waits", "tasks wait")} for `, kind: "strong" },
      { text: each.service, kind: "service", ref: each.service },
      { text: ", and no worker that serves it is online." },
    ]);
  }
  for (const each of nodes.filter((one) => !one.is_alive && one.runs > 0))
    said.push(lostSentence(each, nodes, situation.now));
  if (alive.length && backlog && backlog.oldest_due_seconds > 10) {
    said.push([
      {
        text: `${counted(backlog.due_runs, "run is", "runs are")} due that no node has taken`,
        kind: "strong",
      },
      { text: `, the oldest for ${duration(backlog.oldest_due_seconds)}.` },
    ]);
  }
  said.push(...fullSentences(queues, nodes, situation.now));
  const first = said.shift() ?? fine(alive.length, queues);
  return { first, more: said.slice(0, 4) };
}

function lostSentence(node: NodeInfo, all: readonly NodeInfo[], now: number): Part[] {
  const left = (Date.parse(node.lease_until) - now) / 1000;
  const runs = counted(node.runs, "run");
  return [
    { text: "Node ", kind: "" },
    { text: nodeName(node, all), kind: "node", ref: node.id },
    { text: ` was lost with ${runs}. ` },
    {
      text:
        left > 0
          ? `Other nodes take ${node.runs === 1 ? "it" : "them"} up when its lease runs out, in ${duration(left)}.`
          : `Its lease has run out, so any node that has the code takes ${node.runs === 1 ? "it" : "them"} up.`,
    },
  ];
}

function fine(nodes: number, queues: Queues): Part[] {
  const busy = queues.slots.length + queues.services.reduce((sum, each) => sum + each.held.length, 0);
  const work = busy
    ? `, and ${counted(busy, "task is", "tasks are")} under way`
    : ` and ${nodes === 1 ? "has" : "have"} nothing to do`;
  const isWaiting = (queues.queues ?? []).some((each) => each.waiting > 0);
  return [
    { text: `${nodes === 1 ? "One node is" : `${count(nodes)} nodes are`} up`, kind: "strong" },
    { text: `${work}.${busy && !isWaiting ? " Nothing waits for room." : ""}` },
  ];
}
