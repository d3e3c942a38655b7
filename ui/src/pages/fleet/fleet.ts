// What the page of the fleet says and adds up: nodes, queues, workers, and who is in the way.
import type { Backlog, NodeInfo, Queues, Slot, TakenItem, WorkerDetails } from "../../api/schema";
import type { Part } from "../../parts/Parts.svelte";
import { duration } from "../../text/durations";
import { count, counted } from "../../text/numbers";

/** `atlas-1`, or `vm:14349` if a host has several nodes. */
export function nodeName(node: Pick<NodeInfo, "id" | "host" | "process">, all: readonly NodeInfo[]): string {
  const isAlone = all.filter((each) => each.host === node.host).length === 1;
  if (isAlone && node.host) return node.host;
  return node.process === null ? node.id : `${node.host}:${node.process}`;
}

export type NodeState = "running" | "waiting" | "lost";

/** Lost: it is not there. It is so for a while after an orderly stop, too, but then it has no runs. */
export function nodeState(node: NodeInfo, held: number): NodeState {
  if (!node.is_alive) return "lost";
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

export interface Queue {
  /** Of a queue of the nodes its name, of a service the service. */
  name: string;
  kind: "node" | "service";
  held: number;
  waits: number;
  isExact: boolean;
  oldest: string | null;
}

/** The queues of the nodes, and those of the services that workers ask for. */
export function queuesOf(queues: Queues): Queue[] {
  const held = new Map<string, number>();
  for (const slot of queues.slots) {
    const name = slot.queue ?? "default";
    held.set(name, (held.get(name) ?? 0) + 1);
  }
  const own = [...held].map(([name, count]) => ({
    name,
    kind: "node" as const,
    held: count,
    waits: 0,
    isExact: true,
    oldest: null,
  }));
  const services = queues.services.map((each) => ({
    name: each.service,
    kind: "service" as const,
    held: each.held.length,
    waits: each.due,
    isExact: each.is_exact,
    oldest: each.oldest_due_at ?? null,
  }));
  return [...own, ...services].sort(
    (left, right) => right.waits - left.waits || left.name.localeCompare(right.name),
  );
}

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

export interface Holder {
  run: string;
  key: string;
  seq: number;
  /** The task, or the service. */
  what: string;
  where: string;
  since: string | null;
}

export function holderOfSlot(slot: Slot, names: ReadonlyMap<string, string>): Holder {
  return {
    run: slot.run,
    key: slot.key,
    seq: slot.seq,
    what: slot.task,
    where: names.get(slot.node) ?? slot.node,
    since: slot.since ?? null,
  };
}

export function holderOfItem(item: TakenItem): Holder {
  return {
    run: item.run,
    key: item.key,
    seq: item.seq,
    what: item.service,
    where: item.worker,
    since: item.taken_at ?? null,
  };
}

/** The one that has held longest comes first; those that do not say come last. */
export function longestFirst(holders: readonly Holder[]): Holder[] {
  const begun = (each: Holder) => (each.since === null ? Infinity : Date.parse(each.since));
  return [...holders].sort((left, right) => {
    const [one, other] = [begun(left), begun(right)];
    return one === other ? left.seq - right.seq : one - other;
  });
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
  return [
    { text: `${nodes === 1 ? "One node is" : `${count(nodes)} nodes are`} up`, kind: "strong" },
    { text: `${work}.${busy ? " Nothing waits for room." : ""}` },
  ];
}
