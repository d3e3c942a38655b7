import { expect, test } from "vitest";
import type { TaskGroup } from "../../api/schema";
import { beside, groupAt, waitedFor } from "./selection";

const none = { pending: 0, dispatched: 0, running: 0, success: 0, failed: 0, skipped: 0, cancelled: 0 };
function group(name: string, first: number, facts: Partial<TaskGroup> = {}): TaskGroup {
  return {
    name,
    kind: "task",
    first_seq: first,
    last_seq: first,
    count: 1,
    states: { ...none, success: 1 },
    retried: 0,
    lost: 0,
    asked_at: "2026-01-01T00:00:00Z",
    began_at: "2026-01-01T00:00:00Z",
    ended_at: "2026-01-01T00:00:01Z",
    slowest_seq: null,
    slowest_took: null,
    median_took: null,
    ...facts,
  };
}
const groups = [
  group("fetch", 0),
  group("price", 1, {
    count: 50,
    last_seq: 50,
    states: { ...none, success: 40, running: 10 },
    ended_at: null,
  }),
  group("ask", 51, { kind: "promise", states: { ...none, running: 1 }, ended_at: null }),
];

test("keys lead from row to row and stop at the ends", () => {
  expect(beside(groups, { task: null, name: "" }, 1)).toEqual({ task: 0, name: "fetch" });
  expect(beside(groups, { task: 0, name: "fetch" }, 1)).toEqual({ task: null, name: "price" });
  expect(beside(groups, { task: null, name: "ask" }, 1)).toBe(null);
  expect(beside([], { task: null, name: "" }, 1)).toBe(null);
});

test("a task is found in its group by its number alone", () => {
  expect(groupAt(groups, { task: 30, name: "" })).toBe(1);
  expect(groupAt(groups, { task: 99, name: "" })).toBe(-1);
});

test("a question is waited for before anything else", () => {
  expect(waitedFor(groups)).toEqual({ task: null, name: "ask" });
  expect(waitedFor(groups.slice(0, 2))).toEqual({ task: null, name: "price" });
  expect(waitedFor(groups.slice(0, 1))).toBe(null);
});
