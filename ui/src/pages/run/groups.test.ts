import { expect, test } from "vitest";
import type { RunGraph, TaskGroup } from "../../api/schema";
import { groupsOf, nameOf, versionOf } from "./groups";

const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000).toISOString();
const none = { pending: 0, dispatched: 0, running: 0, success: 0, failed: 0, skipped: 0, cancelled: 0 };
const task: TaskGroup = {
  name: "charge",
  kind: "task",
  first_seq: 0,
  last_seq: 0,
  count: 1,
  states: { ...none, success: 1 },
  retried: 0,
  lost: 0,
  asked_at: at(1),
  began_at: at(1),
  ended_at: at(3),
  slowest_seq: 0,
  slowest_took: 2,
  median_took: 2,
};

function graph(source: RunGraph["source"]): RunGraph {
  const nodes = [
    { id: "timer:40s", kind: "timer", name: "timer", work: "40s", asked: at(0), ended: at(40) },
    { id: "timer:2d", kind: "timer", name: "timer", work: "2d", asked: at(50), ended: null },
    { id: "signal:paid", kind: "signal", name: "paid", work: "", asked: at(2), ended: null },
    { id: "task:charge", kind: "task", name: "charge", work: "", asked: at(1), ended: at(3) },
  ];
  return {
    source,
    version: "1",
    graph: {
      name: "g",
      noun: "node",
      direction: "right",
      nodes: nodes.map(({ id, kind, name, work }) => ({ id, kind, title: name, work })),
      edges: [],
    },
    layout: { width: 0, height: 0, nodes: [], edges: [] },
    nodes: nodes.map(({ id, name, asked, ended }) => ({
      id,
      name,
      state: ended ? "success" : "running",
      states: { ...none, running: 1 },
      count: 1,
      asked_at: asked,
      began_at: asked,
      ended_at: ended,
      attempts: 0,
      note: "",
    })),
    edges_taken: [],
    steps_read: 4,
    is_all: true,
  } as unknown as RunGraph;
}

test("timers and signals of code stand among its tasks, in the order of asking", () => {
  const found = groupsOf([task], graph("journal"));

  expect(found.map((each) => [each.kind, each.name, each.ended_at])).toEqual([
    ["timer", "timer 40s", at(40)],
    ["task", "charge", at(3)],
    ["signal", "paid", null],
    ["timer", "timer 2d", null],
  ]);
});

test("those of a flow are tasks already, and chosen by their own names", () => {
  const flow = graph("definition");
  expect(flow.nodes.map((node) => nameOf(flow, node))).toEqual(["timer", "timer", "paid", "charge"]);
  expect(groupsOf([task], graph("definition"))).toEqual([task]);
  expect(groupsOf([task], undefined)).toEqual([task]);
});

test.each<[string, Partial<TaskGroup>]>([
  ["is cancelled", { states: { ...none, cancelled: 1 } }],
  ["is skipped", { states: { ...none, skipped: 1 } }],
  ["is given to a worker", { states: { ...none, dispatched: 1 } }],
  ["runs", { states: { ...none, running: 1 } }],
  ["fails", { states: { ...none, failed: 1 } }],
  ["is tried again", { retried: 1 }],
  ["is lost", { lost: 1 }],
  ["ends", { ended_at: at(3) }],
])("the tasks are loaded again when one that waits %s", (_, change) => {
  const waits = { ...task, states: { ...none, pending: 1 }, ended_at: null };

  expect(versionOf([{ ...waits, ...change }])).not.toBe(versionOf([waits]));
  expect(versionOf([{ ...waits }])).toBe(versionOf([waits]));
});
