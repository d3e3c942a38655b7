import { expect, test } from "vitest";
import type { NodeInfo } from "../../api/schema";
import { doesText, nodeName, nodesInOrder, nodeState } from "./nodes";

function node(host: string, process: number | null, more: Partial<NodeInfo> = {}): NodeInfo {
  return {
    id: `${host}:${process}:x`,
    host,
    process,
    started_at: "2026-03-17T00:00:00Z",
    seen_at: null,
    lease_until: "2026-03-17T08:47:20Z",
    serves: [],
    runs: 0,
    is_alive: true,
    is_stopping: false,
    ...more,
  };
}

test("a node is called by its host, and with its process if the host has several", () => {
  const two = [node("vm", 1), node("vm", 2)];

  expect(nodeName(node("atlas-1", 7), [node("atlas-1", 7)])).toBe("atlas-1");
  expect(nodeName(two[1]!, two)).toBe("vm:2");
});

test.each<[Partial<NodeInfo>, number, string, string]>([
  [{}, 0, "waiting", "has nothing to do"],
  [{}, 3, "running", "works"],
  [{ runs: 2 }, 0, "running", "works"],
  [{ runs: 2, is_stopping: true }, 2, "paused", "stops, 2 tasks left"],
  [{ is_stopping: true }, 0, "paused", "stops"],
  [{ is_alive: false, runs: 3 }, 0, "lost", "is not there, and has 3 runs"],
  [{ is_alive: false, is_stopping: true }, 0, "lost", "is not there"],
])("a node with %j and %i tasks is %s: it %s", (more, tasks, state, does) => {
  expect(nodeState(node("a", 1, more), tasks)).toBe(state);
  expect(doesText(node("a", 1, more), tasks)).toBe(does);
});

test("lost nodes come last, and those with runs before the others", () => {
  const found = nodesInOrder([
    node("x", 1, { is_alive: false }),
    node("b", 1),
    node("y", 1, { is_alive: false, runs: 4 }),
    node("a", 1),
  ]);

  expect(found.map((each) => each.host)).toEqual(["a", "b", "y", "x"]);
});
