// The queues of the nodes and of the services: slots, who holds them, and who waits.
import type { NodeInfo, NodeQueue, Queues, Slot, TakenItem } from "../../api/schema";
import type { Part } from "../../parts/Parts.svelte";
import { duration } from "../../text/durations";
import { count, counted } from "../../text/numbers";
import { nodeName } from "./nodes";

/** The queue of tasks that name none. */
const DEFAULT = "default";
/** So many squares are counted at a glance. A node has many more slots for its own queue than for one with a limit. */
export const MOST_SQUARES = 64;
/** The API lists so many slots of a node. */
const LISTED = 100;

export interface Queue {
  /** Of a queue of the nodes its name, of a service the service. */
  name: string;
  kind: "node" | "service";
  held: number;
  /** How many slots there are, on all nodes; null if nobody says. */
  limit: number | null;
  waits: number;
  isExact: boolean;
  oldest: string | null;
}

/** The queues of the nodes, and those of the services that workers ask for; the one in which most waits first. */
export function queuesOf(queues: Queues): Queue[] {
  const services = queues.services.map((each) => ({
    name: each.service,
    kind: "service" as const,
    held: each.held.length,
    limit: null,
    waits: each.due,
    isExact: each.is_exact,
    oldest: each.oldest_due_at ?? null,
  }));
  return [...ofNodes(queues), ...services].sort(
    (left, right) => right.waits - left.waits || left.name.localeCompare(right.name),
  );
}

function ofNodes(queues: Queues): Queue[] {
  const told = queues.queues ?? [];
  // A node with a full list has more slots than that, so what it said of itself counts.
  const isCut = queues.slots.some((each, index) => queues.slots[index + LISTED - 1]?.node === each.node);
  const names = new Set([...queues.slots.map(queueOf), ...told.map((each) => each.queue)]);
  return [...names].map((name) => {
    const own = told.filter((each) => each.queue === name);
    const slots = slotsOf(queues, name).length;
    const sum = (of: (each: NodeQueue) => number) => own.reduce((all, each) => all + of(each), 0);
    return {
      name,
      kind: "node",
      held: isCut
        ? Math.max(
            slots,
            sum((each) => each.running),
          )
        : slots,
      limit: own.length ? sum((each) => each.limit) : null,
      waits: sum((each) => each.waiting),
      isExact: true,
      oldest: waitersOf(queues, name, [])[0]?.since ?? null,
    };
  });
}

function queueOf(slot: Slot): string {
  return slot.queue ?? DEFAULT;
}

function slotsOf(queues: Queues, name: string): Slot[] {
  return queues.slots.filter((each) => queueOf(each) === name);
}

/** `2 of 4`, and only how many where nobody says of how many. */
export function heldText(queue: Queue): string {
  return queue.limit === null ? count(queue.held) : `${count(queue.held)} of ${count(queue.limit)}`;
}

/** `at most 2 at once on each node`; null if nobody says. */
export function limitText(queues: Queues, name: string): string | null {
  const own = (queues.queues ?? []).filter((each) => each.queue === name);
  const limits = [...new Set(own.map((each) => each.limit))];
  if (limits.length === 0) return null;
  if (own.length === 1) return `at most ${count(limits[0] ?? 0)} at once`;
  if (limits.length === 1) return `at most ${count(limits[0] ?? 0)} at once on each node`;
  const [least, most] = [Math.min(...limits), Math.max(...limits)];
  return `at most ${count(least)} to ${count(most)} at once, as each node has it`;
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

/** Who holds the slots of a queue: the one that has held longest comes first, those that do not say come last. */
export function holdersOf(queues: Queues, queue: Queue, nodes: readonly NodeInfo[]): Holder[] {
  const named = namesOf(nodes);
  if (queue.kind === "node")
    return longestFirst(
      slotsOf(queues, queue.name).map(({ run, key, seq, task, node, since }) => {
        return { run, key, seq, what: task, where: named(node), since: since ?? null };
      }),
    );
  const held = queues.services.find((each) => each.service === queue.name)?.held ?? [];
  return longestFirst(held.map(holderOfItem));
}

function holderOfItem(item: TakenItem): Holder {
  const { run, key, seq, service, worker, taken_at } = item;
  return { run, key, seq, what: service, where: worker, since: taken_at ?? null };
}

function longestFirst(holders: readonly Holder[]): Holder[] {
  const begun = (each: Holder) => (each.since === null ? Infinity : Date.parse(each.since));
  return [...holders].sort((left, right) => {
    const [one, other] = [begun(left), begun(right)];
    return one === other ? left.seq - right.seq : one - other;
  });
}

/**
 * Who waits, the longest first. On each node they stand in the order in which they will go, which priorities may
 * change; a node with several of them keeps that order.
 */
export function waitersOf(queues: Queues, name: string, nodes: readonly NodeInfo[]): Holder[] {
  const named = namesOf(nodes);
  const lines = (queues.queues ?? [])
    .filter((each) => each.queue === name)
    .map((each) =>
      each.first.map(({ run, key, seq, task, since }) => {
        return { run, key, seq, what: task, where: named(each.node), since };
      }),
    );
  const merged: Holder[] = [];
  for (;;) {
    const heads = lines.filter((each) => each.length > 0);
    if (heads.length === 0) return merged;
    const since = (line: Holder[]) => line[0]?.since ?? "";
    const next = heads.reduce((best, each) => (since(each) < since(best) ? each : best));
    merged.push(...next.splice(0, 1));
  }
}

function namesOf(nodes: readonly NodeInfo[]): (id: string) => string {
  const names = new Map(nodes.map((each) => [each.id, nodeName(each, nodes)]));
  return (id) => names.get(id) ?? id;
}

/** A node has no room for a task that waits there. Tasks wait also where all queues together have no room. */
function isFull(queue: NodeQueue): boolean {
  return queue.waiting > 0 && queue.running >= queue.limit;
}

/** The queues whose slots are all held while tasks wait, and who is in the way. */
export function fullSentences(queues: Queues, nodes: readonly NodeInfo[], now: number): Part[][] {
  const names = new Set((queues.queues ?? []).filter(isFull).map((each) => each.queue));
  return ofNodes(queues)
    .filter((each) => names.has(each.name))
    .sort((left, right) => right.waits - left.waits)
    .map((each) => full(each, queues, nodes, now));
}

function full(queue: Queue, queues: Queues, nodes: readonly NodeInfo[], now: number): Part[] {
  const own = (queues.queues ?? []).filter((each) => each.queue === queue.name);
  const busy = own.filter(isFull);
  const named = namesOf(nodes);
  const places = new Set(busy.map((each) => each.node));
  const where: Part[] =
    busy.length === 1 && own.length > 1
      ? [{ text: " on " }, { text: named(busy[0]?.node ?? ""), kind: "node", ref: busy[0]?.node }]
      : [];
  const slots = slotsOf(queues, queue.name).filter((each) => places.has(each.node));
  const limit = busy.reduce((sum, each) => sum + each.limit, 0);
  const waits = busy.reduce((sum, each) => sum + each.waiting, 0);
  const behind = `${counted(waits, "task waits", "tasks wait")} behind ${slots.length === 1 ? "it" : "them"}.`;
  return [
    { text: "Queue ", kind: "strong" },
    { text: queue.name, kind: "queue", ref: queue.name },
    { text: " is full", kind: "strong" },
    ...where,
    ...inTheWay(slots, limit, now),
    { text: behind },
  ];
}

/** Of the slots that are held, whose: of the run that has most of them; if each has one, the longest. */
function inTheWay(slots: readonly Slot[], limit: number, now: number): Part[] {
  const begun = (each: Slot) => (each.since ? Date.parse(each.since) : Infinity);
  const inOrder = [...slots].sort((left, right) => begun(left) - begun(right));
  const runs = new Map<string, Slot[]>();
  for (const each of inOrder) runs.set(each.key, [...(runs.get(each.key) ?? []), each]);
  const most = [...runs.values()].reduce((best, each) => (each.length > best.length ? each : best), []);
  const first = most[0];
  if (!first) return [{ text: ". " }];
  const age = first.since ? ` for ${duration(Math.max(0, (now - begun(first)) / 1000))}` : "";
  const held = (many: number) =>
    many === limit
      ? `its ${limit === 1 ? "only slot is" : `${count(limit)} slots are`} held`
      : `${count(many)} of its ${counted(limit, "slot")} ${many === 1 ? "is" : "are"} held`;
  const isShared = most.length === 1 && slots.length > 1;
  const text = isShared
    ? `, and ${held(slots.length)} by ${count(runs.size)} runs, the longest${age} by `
    : `, and ${held(most.length)}${age} by one run, `;
  return [{ text }, { text: first.run, kind: "run", ref: first.run }, { text: ". " }];
}
