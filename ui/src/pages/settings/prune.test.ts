import { expect, test } from "vitest";
import { ENDS, readPrune, shareDone } from "./prune";

test("all ways to end are asked for by naming none", () => {
  expect(readPrune({ age: "30d", ends: [...ENDS], workflow: " " })).toEqual({
    older_than: 2_592_000,
    status: null,
    workflow: null,
  });
});

test("some ways to end and a workflow are named", () => {
  expect(readPrune({ age: " 12h ", ends: ["success"], workflow: "nightly" })).toEqual({
    older_than: 43_200,
    status: ["success"],
    workflow: "nightly",
  });
});

test("no way to end, or no span, is wrong", () => {
  expect(readPrune({ age: "30d", ends: [], workflow: "" })).toMatch(/at least one/);
  expect(readPrune({ age: "30", ends: ["failed"], workflow: "" })).toMatch(/30d/);
});

test("how far a job is counts what failed and what was skipped", () => {
  expect(shareDone({ matched: 200, done: 40, failed: 5, skipped: 5 })).toBe(0.25);
  expect(shareDone({ matched: 10, done: 12, failed: 0, skipped: 0 })).toBe(1);
  expect(shareDone({ matched: null, done: 1, failed: 0, skipped: 0 })).toBeNull();
});
