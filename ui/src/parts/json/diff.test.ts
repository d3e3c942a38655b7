import { expect, it } from "vitest";
import type { Json } from "../forms/schema";
import { differences } from "./diff";

it("names each place that differs, in order", () => {
  const before = { same: 1, gone: true, lines: [{ count: 1 }, { count: 2 }], "odd name": null };
  const after = { same: 1, lines: [{ count: 1 }, { count: 3 }, { count: 4 }], "odd name": "x", fresh: [] };
  expect(differences(before, after)).toEqual({
    list: [
      { path: "$.gone", kind: "removed", before: true },
      { path: "$.lines[1].count", kind: "changed", before: 2, after: 3 },
      { path: "$.lines[2]", kind: "added", after: { count: 4 } },
      { path: '$["odd name"]', kind: "changed", before: null, after: "x" },
      { path: "$.fresh", kind: "added", after: [] },
    ],
    isAll: true,
  });
});

it("says that a list became an object, and nothing of what is the same", () => {
  expect(differences([1], { 0: 1 }).list).toEqual([
    { path: "$", kind: "changed", before: [1], after: { 0: 1 } },
  ]);
  expect(differences({ a: [{}] }, { a: [{}] }).list).toEqual([]);
  expect(differences(undefined, undefined).list).toEqual([]);
});

it("stops after so many", () => {
  const [one, two] = [Array(500).fill(1) as Json, Array(500).fill(2) as Json];
  expect(differences(one, two, 200)).toMatchObject({ isAll: false });
  expect(differences(one, two, 200).list).toHaveLength(200);
});
