import { expect, it } from "vitest";
import type { WorkflowStatistics } from "../../api/schema";
import { numbersOf, sentenceOf } from "./sentence";

const NOW = Date.parse("2026-03-17T08:47:00Z");
const SINCE = "2026-03-17T07:55:00Z";

function statistics(...versions: [string, number, number, number][]): WorkflowStatistics {
  return {
    name: "refund",
    runs: 100,
    looked_at: versions.reduce((sum, [, runs]) => sum + runs, 0),
    is_all: true,
    since: SINCE,
    took: null,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    by_version: versions.map(([version, runs, failed, open]) => ({
      version,
      runs,
      failed,
      open,
      first_at: SINCE,
    })),
    tasks: [],
    strip: [],
  };
}
const said = (numbers: WorkflowStatistics, version: string, isNewest = true) =>
  sentenceOf(numbers, version, SINCE, isNewest, NOW)
    .map((part) => part.text)
    .join("");

it("says that the newest version does well", () => {
  expect(said(statistics(["8", 12, 0, 3], ["7", 40, 9, 6]), "8")).toBe(
    "v8 has been out for 52\u00a0min and does well: 9 runs ended, none failed. 9 runs are under way.",
  );
});

it("says how many failed, and does not call that well", () => {
  expect(said(statistics(["8", 12, 3, 0]), "8")).toBe(
    "v8 has been out for 52\u00a0min: 12 runs ended, 3 failed (25\u00a0%).",
  );
  expect(said(statistics(["8", 200, 1, 0]), "8")).toContain("mostly does well");
  expect(said(statistics(["8", 2, 2, 0]), "8")).toContain("all of them failed");
});

it("says that there are no runs of it, or none that ended", () => {
  expect(said(statistics(), "8")).toBe("v8 has been out for 52\u00a0min; it has no runs so far.");
  expect(said(statistics(["7", 5, 0, 0]), "8")).toContain("none of the last 5 runs is of it");
  expect(said(statistics(["8", 1, 0, 1]), "8")).toMatch(/; its only run has not ended yet\.$/);
  expect(said(statistics(["8", 2, 0, 2]), "8")).toContain(
    "none of its 2 runs has ended yet. 2 runs are under way.",
  );
});

it("says that a version is not the newest", () => {
  expect(said(statistics(["7", 5, 0, 0]), "7", false)).toMatch(/^v7 is not the newest and does well:/);
});

it("says how long a run typically takes", () => {
  const took = { median: 2, p95: 3, p99: 4, least: 1, most: 5 };
  expect(said({ ...statistics(["8", 5, 0, 0]), took }, "8")).toMatch(/none failed\. Typically 2\u00a0s\.$/);
});

it("says what numbers are about, also if there are none", () => {
  expect(numbersOf(20, true)).toBe("what the last 20 runs asked for, all versions");
  expect(numbersOf(1, false)).toBe("the last run, all versions");
  expect(numbersOf(0, true)).toBe("no numbers yet");
});
