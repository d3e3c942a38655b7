import { expect, it } from "vitest";
import type { LastRun } from "./listing";
import { barsOf, stripSentence } from "./strip";

const run = (status: LastRun["status"], took: number | null = 1): LastRun => ({
  id: "r",
  status,
  took,
  created_at: "",
});

it("puts the newest on the right", () => {
  const bars = barsOf([run("running", null), run("failed"), run("success")], 5);
  expect(bars.map((bar) => [bar.place, bar.mark, bar.isOpen])).toEqual([
    [2, "success", false],
    [3, "failed", false],
    [4, "running", true],
  ]);
});

it("is as high as the logarithm of the duration, and full for a failure", () => {
  const heights = barsOf(
    [run("success", 100), run("success", 1), run("success", 10), run("failed", 1)],
    4,
  ).map((bar) => bar.height);
  expect(heights[0]).toBe(1);
  expect(heights[1]).toBeCloseTo(0.55);
  expect(heights[2]).toBeCloseTo(0.25);
  expect(heights[3]).toBeCloseTo(0.85);
});

it("draws runs that all took the same, or no time", () => {
  for (const took of [0, 5, null])
    for (const bar of barsOf([run("success", took), run("success", took)], 20))
      expect(bar.height).toBeGreaterThan(0.2);
});

it("says what it shows", () => {
  expect(stripSentence([])).toBe("No runs.");
  expect(stripSentence([run("success"), run("failed"), run("success")])).toBe(
    "Of the last 3 runs 2 success, 1 failed; the newest: success.",
  );
});
