import { expect, it } from "vitest";
import type { WorkflowInfo } from "../../api/schema";
import { filtered, ordered, rowsOf, type Activity } from "./listing";

const info = (name: string, kind = "code"): WorkflowInfo => ({
  name,
  kind,
  version: "1",
  is_published: false,
  versions: 1,
  seen_at: "2026-03-17T08:00:00Z",
});
const activity = (name: string, failed: number): Activity => ({
  name,
  kind: "code",
  version: "1",
  points: [],
  open: 0,
  ended: 9,
  failed,
  median_took: 1,
  last: [],
});
const names = (rows: { info: WorkflowInfo }[]) => rows.map((row) => row.info.name);

const ROWS = rowsOf(
  [info("fulfil"), info("nightly", "dag"), info("refund", "flow")],
  [activity("fulfil", 1), activity("refund", 5)],
  [
    { name: "late", workflow: "nightly", next_at: "2026-03-18T02:00:00Z" },
    { name: "soon", workflow: "nightly@2", next_at: "2026-03-17T12:00:00Z" },
    { name: "paused", workflow: "fulfil", next_at: null },
  ],
);

it("finds the schedule that fires first, whether or not it names a version", () => {
  expect(ROWS[1]?.next).toEqual({ at: "2026-03-17T12:00:00Z", schedule: "soon" });
  expect(ROWS[0]?.next).toBeNull();
});

it("filters by words and kind", () => {
  expect(names(filtered(ROWS, "FU", ""))).toEqual(["fulfil", "refund"]);
  expect(names(filtered(ROWS, "fu re", ""))).toEqual(["refund"]);
  expect(names(filtered(ROWS, "", "dag"))).toEqual(["nightly"]);
});

it("orders without losing the order of names", () => {
  expect(names(ordered(ROWS, "name"))).toEqual(["fulfil", "nightly", "refund"]);
  expect(names(ordered(ROWS, "failed"))).toEqual(["refund", "fulfil", "nightly"]);
  expect(names(ordered(ROWS, "next"))).toEqual(["nightly", "fulfil", "refund"]);
});
