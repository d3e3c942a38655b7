import { expect, test } from "vitest";
import type { NodeQueue, Queues, Slot } from "../../api/schema";
import { fullSentences, heldText, holdersOf, limitText, queuesOf, waitersOf, type Queue } from "./queues";

const NOW = Date.parse("2026-03-17T08:47:00Z");
const at = (minute: number) => `2026-03-17T08:${String(minute).padStart(2, "0")}:00Z`;

function slot(queue: string | null, run: string, minute: number | null = null, node = "n"): Slot {
  return { node, queue, run, key: run, seq: 0, task: "post", since: minute === null ? null : at(minute) };
}

function ledger(node: string, running: number, waits: [string, number][], limit = 2): NodeQueue {
  const first = waits.map(([run, minute]) => ({ run, key: run, seq: 1, task: "post", since: at(minute) }));
  return { node, queue: "ledger", limit, running, waiting: waits.length, first };
}

function text(queues: Queues): string[] {
  return fullSentences(queues, [], NOW).map((parts) => parts.map((each) => each.text).join(""));
}

test("the queue in which most waits comes first, and a queue without a name is the default one", () => {
  const queues = queuesOf({
    slots: [slot(null, "a"), slot("ledger", "b"), slot("ledger", "c")],
    services: [{ service: "mail", depth: 9, due: 7, is_exact: true, oldest_due_at: at(0), held: [] }],
    queues: [ledger("n", 2, [["d", 40]])],
  });

  expect(queues.map((each) => [each.name, heldText(each), each.waits, each.oldest])).toEqual([
    ["mail", "0", 7, at(0)],
    ["ledger", "2 of 2", 1, at(40)],
    ["default", "1", 0, null],
  ]);
});

test("the slots of a queue are those of all nodes", () => {
  const queues = { services: [], slots: [], queues: [ledger("n", 1, []), ledger("m", 2, [], 4)] };

  expect(queuesOf(queues).map(heldText)).toEqual(["0 of 6"]);
  expect(limitText(queues, "ledger")).toBe("at most 2 to 4 at once, as each node has it");
  expect(limitText({ ...queues, queues: [ledger("n", 1, [])] }, "ledger")).toBe("at most 2 at once");
  expect(limitText({ ...queues, queues: [ledger("n", 1, []), ledger("m", 0, [])] }, "ledger")).toBe(
    "at most 2 at once on each node",
  );
  expect(limitText(queues, "other")).toBe(null);
});

test("who has held longest comes first, and who does not say comes last", () => {
  const queues = { services: [], slots: [slot("q", "c"), slot("q", "b", 1), slot("q", "a", 0)], queues: [] };

  const found = holdersOf(queues, { name: "q", kind: "node" } as Queue, []);

  expect(found.map((each) => each.run)).toEqual(["a", "b", "c"]);
});

test("who waits longest comes first, but in the order of each node", () => {
  const first = ledger("n", 2, [
    ["urgent", 40],
    ["early", 10],
  ]);
  const queues = { services: [], slots: [], queues: [first, ledger("m", 2, [["middle", 20]])] };

  expect(waitersOf(queues, "ledger", []).map((each) => each.run)).toEqual(["middle", "urgent", "early"]);
});

test("a full queue is said, with the run that holds most of it", () => {
  const slots = [slot("ledger", "books", 6), slot("ledger", "books", 7)];
  const waits: [string, number][] = [
    ["x", 40],
    ["y", 41],
  ];

  expect(text({ services: [], slots, queues: [ledger("n", 2, waits)] })).toEqual([
    "Queue ledger is full, and its 2 slots are held for 41\u00a0min by one run, books. 2 tasks wait behind them.",
  ]);
});

test("a queue that is full on one node only says on which", () => {
  const slots = [slot("ledger", "a", 46), slot("ledger", "b", 45), slot("ledger", "c", 40, "m")];
  const queues = [ledger("n", 2, [["x", 45]]), ledger("m", 1, [])];

  expect(text({ services: [], slots, queues })).toEqual([
    "Queue ledger is full on n, and its 2 slots are held by 2 runs, the longest for 2\u00a0min by b. 1 task waits behind them.",
  ]);
});

test("a queue that waits because its node has no room at all is not full", () => {
  expect(text({ services: [], slots: [], queues: [ledger("n", 1, [["x", 45]])] })).toEqual([]);
});
