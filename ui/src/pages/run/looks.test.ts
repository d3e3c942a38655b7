import { expect, test } from "vitest";
import { looksOf, type KnownNode } from "./looks";

const NOW = Date.parse("2026-03-17T08:00:00Z");
function node(facts: Partial<KnownNode>): KnownNode {
  return {
    id: "a",
    name: "a",
    state: "success",
    states: { success: 1 },
    count: 1,
    began_at: "2026-03-17T07:59:00Z",
    ended_at: "2026-03-17T07:59:41Z",
    attempts: 1,
    note: "",
    ...facts,
  };
}
const look = (facts: Partial<KnownNode>, kind = "python") =>
  looksOf({ graph: { nodes: [{ id: "a", kind }] }, nodes: [node(facts)] }, NOW).a;

test("what has ended says how long it took", () => {
  expect(look({})?.note).toBe("41\u00a0s");
  expect(look({ note: "2 attempts" })?.note).toBe("41\u00a0s, 2 attempts");
});

test("what is under way counts up to now", () => {
  expect(look({ state: "running", ended_at: null })?.note).toBe("1\u00a0min");
});

test("a task that failed says when it is tried again", () => {
  const failed = {
    state: "pending",
    began_at: null,
    ended_at: null,
    attempts: 3,
    note: "3 attempts",
    first_seq: 7,
  };
  const known = { graph: { nodes: [{ id: "a", kind: "python" }] }, nodes: [node(failed)] };

  expect(looksOf(known, NOW, new Map([[7, "2026-03-17T08:00:38Z"]])).a).toMatchObject({
    state: "running",
    waiting: "backoff",
    note: "attempt 3 in 38\u00a0s",
  });
  expect(looksOf(known, NOW).a?.note).toBe("attempt 3 waits");
});

test("a person is waited for", () => {
  expect(look({ state: "running", ended_at: null }, "approval")).toMatchObject({
    waiting: "approval",
    note: "waits 1\u00a0min",
  });
});

test("a fan-out says how many are done and how many failed", () => {
  expect(look({ count: 60, states: { success: 40, failed: 1, running: 19 } })).toMatchObject({
    count: 60,
    done: 41,
    note: "1 failed, 41 of 60",
  });
  expect(look({ count: 2_000, states: { success: 2_000 } })?.note).toBe("2,000 of 2,000");
  expect(look({ count: 2_000, states: { success: 1_990, failed: 10 } })?.note).toBe("10 of 2,000 failed");
});

test("what has not begun has the note of the server", () => {
  expect(look({ state: "pending", began_at: null, ended_at: null, note: "typically 9 s" })?.note).toBe(
    "typically 9 s",
  );
});
