import { expect, it } from "vitest";
import type { WorkflowInfo } from "../../api/schema";
import type { Row } from "./listing";
import { sentenceOf } from "./sentence";

const row = (name: string, failed: number, open = 0, ended = 10): Row => ({
  info: { name } as WorkflowInfo,
  activity: { name, kind: "code", version: "1", points: [], open, ended, failed, median_took: 1, last: [] },
  next: null,
});
const said = (rows: Row[]) =>
  sentenceOf(rows, "24 h")
    .map((part) => part.text)
    .join("");

it("says that none failed", () => {
  expect(said([row("a", 0), row("b", 0, 1)])).toBe(
    "2 workflows. 20 runs ended in 24 h, none failed. One run is under way.",
  );
  expect(said([row("a", 0, 0, 0)])).toBe("1 workflow. No run ended in 24 h.");
});

it("names those that fail most, and says how many more there are", () => {
  expect(said([row("a", 1), row("b", 0)])).toBe(
    "2 workflows, one of them with failed runs in 24 h: a (1 of 10).",
  );
  expect(said([row("a", 1), row("b", 5), row("c", 3), row("d", 2, 7)])).toBe(
    "4 workflows, 4 with failed runs in 24 h: b (5 of 10), c (3 of 10), d (2 of 10), and 1 more. 7 runs are under way.",
  );
});
