import { expect, test } from "vitest";
import { actsOf, consequences, RISKY, split, VERBS, type Act } from "./actions";

const admin = { isOperator: true, isAdmin: true };
const viewer = { isOperator: false, isAdmin: false };

test("a viewer can do nothing, whatever the state", () => {
  for (const status of ["pending", "running", "success", "failed", "cancelled", "paused", "parked"])
    expect(actsOf(status, true, viewer)).toEqual([]);
});

test("what is done most often comes first", () => {
  expect(actsOf("failed", false, admin)[0]).toBe("retry");
  expect(actsOf("running", true, admin)[0]).toBe("try_now");
  expect(actsOf("parked", false, admin)[0]).toBe("resume");
});

test("only what has ended can be deleted, and only by an admin", () => {
  const may = (status: string, isAdmin: boolean) =>
    actsOf(status, false, { isOperator: true, isAdmin }).includes("delete");

  expect(may("success", true)).toBe(true);
  expect(may("running", true)).toBe(false);
  expect(may("success", false)).toBe(false);
});

test("a run that has ended is not cancelled", () => {
  for (const status of ["success", "failed", "cancelled"])
    expect(actsOf(status, false, admin)).not.toContain("cancel");
});

test("rare acts are in the menu, and none is lost", () => {
  const acts = actsOf("running", true, admin);
  const { shown, more } = split(acts);

  expect(shown).toEqual(["try_now", "signal", "cancel"]);
  expect([...shown, ...more].sort()).toEqual([...acts].sort());
});

test("each act says what will happen, and the risky ones what is lost", () => {
  const facts = { tasks_done: 1_966, tasks_running: 1, is_counted_exactly: true };

  for (const act of Object.keys(VERBS) as Act[])
    if (act !== "signal") expect(consequences(act, facts).join("").length).toBeGreaterThan(40);
  expect(consequences("retry", facts).join(" ")).toContain("1,966 tasks are done and recorded");
  expect(consequences("cancel", facts)[0]).toContain("1 task under way is ended.");
  expect(consequences("cancel", { ...facts, tasks_running: 2 })[0]).toContain("2 tasks under way are ended.");
  expect(consequences("cancel", null)[0]).toContain("What has not ended is ended.");
  expect(RISKY.has("terminate")).toBe(true);
});
