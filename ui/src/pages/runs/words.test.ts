import { expect, test } from "vitest";
import { chartSpan, sentenceOf, tokenText } from "./words";

const NOW = new Date(2026, 2, 17, 8, 47, 22).getTime();
const iso = (day: number, hour: number, minute: number) => new Date(2026, 2, day, hour, minute).toISOString();
const counts = (parts: Record<string, number>) =>
  Object.entries(parts).map(([name, count]) => ({ name, count, is_exact: true }));
const said = (parts: Record<string, number>, filters: Record<string, string>) => {
  const tokens = Object.entries(filters).map(([name, value]) => ({ name, value }));
  const { count, which, verb } = sentenceOf(counts(parts), tokens);
  return count + which + verb;
};

test("times stand in the bar as the viewer's clock has them", () => {
  expect(tokenText({ name: "began", value: `${iso(17, 0, 12)}..${iso(17, 1, 4)}` }, NOW)).toBe(
    "00:12..01:04",
  );
  expect(tokenText({ name: "began", value: `${iso(16, 0, 12)}..${iso(16, 1, 4)}` }, NOW)).toBe(
    "yesterday 00:12..01:04",
  );
  expect(tokenText({ name: "brush", value: `${iso(17, 0, 12)}..${iso(17, 1, 4)},1.5s..30s` }, NOW)).toBe(
    "00:12..01:04, 1.5s..30s",
  );
  expect(tokenText({ name: "began", value: "24h" }, NOW)).toBe("24h");
});

test("what misleads the eye is shown by its number", () => {
  expect(tokenText({ name: "id", value: "a\u202eb" }, NOW)).toBe("a\\u202eb");
});

test.each<[Record<string, number>, Record<string, string>, string]>([
  [
    { failed: 45, success: 900 },
    { status: "failed", began: "24h" },
    "45 runs that began in the last 24 hours failed",
  ],
  [{ failed: 1 }, { status: "failed" }, "1 run failed"],
  [{ running: 0 }, { status: "running" }, "No run is running"],
  [{ running: 2, success: 3 }, {}, "There are 5 runs"],
  [{}, { id: "x" }, "There is no run with “x” in the id"],
  [{ failed: 2, parked: 1 }, { status: "failed,parked" }, "3 runs are failed or parked"],
  [
    { success: 12 },
    { workflow: "fulfil", took: ">30s", ended: "2026-03-16" },
    "There are 12 runs of fulfil that took more than 30s and ended on 2026-03-16",
  ],
  [
    { success: 2 },
    { began: "..1h", tag: "a,b" },
    "There are 2 runs with tags a and b that began more than 1h ago",
  ],
  [
    { success: 2 },
    { took: "1m..10m", began: "24h..1h" },
    "There are 2 runs that took 1m to 10m and began 24h to 1h ago",
  ],
])("%j with %j is said as a sentence", (parts, filters, sentence) => {
  expect(said(parts, filters)).toBe(sentence);
});

test("a count that was cut short says so", () => {
  expect(sentenceOf([{ name: "success", count: 10_000, is_exact: false }], []).count).toBe(
    "There are at least 10,000 runs",
  );
});

test("the chart goes from where the filter says, and never beyond now", () => {
  const began = (value: string) => [{ name: "began", value }];
  const first = NOW - 7_200_000;

  expect(chartSpan([], first, NOW)).toEqual([first, NOW]);
  expect(chartSpan(began("24h"), first, NOW)).toEqual([NOW - 86_400_000, NOW]);
  expect(chartSpan(began("..1h"), first, NOW)).toEqual([first, NOW - 3_600_000]);
  expect(chartSpan(began("2026-03-17"), first, NOW)[1]).toBe(NOW);
  expect(chartSpan([], NOW, NOW)).toEqual([NOW - 1_000, NOW]);
});
