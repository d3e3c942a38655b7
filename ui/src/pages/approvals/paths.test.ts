import { expect, test } from "vitest";
import type { NodeState } from "../../api/schema";
import { looksOf, nodeOf } from "./paths";

const NONE = { pending: 0, dispatched: 0, running: 0, success: 0, failed: 0, skipped: 0, cancelled: 0 };

function node(id: string, name: string, state: NodeState["state"]): NodeState {
  return { id, name, state, states: { ...NONE, [state]: 1 }, count: 1, attempts: 0, note: "" };
}

test("the question is at the node of its name that waits", () => {
  const nodes = [node("1", "ask", "success"), node("2", "ask", "running"), node("3", "pay", "pending")];

  expect(nodeOf({ nodes }, "ask")).toBe("2");
  expect(nodeOf({ nodes }, "nobody")).toBeNull();
});

test("only that node waits for a person, and the others are as they were", () => {
  const looks = looksOf({ nodes: [node("check", "check", "success"), node("ask", "ask", "pending")] }, "ask");

  expect(looks.ask).toMatchObject({ state: "running", waiting: "approval" });
  expect(looks.check).toMatchObject({ state: "success", waiting: null, done: 1 });
});
