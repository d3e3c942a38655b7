import { expect, test } from "vitest";
import { extentOf, heldBy, heldText, nearest, type Cloud } from "./cloud";
import { linearScale, logScale } from "./scales";

const NOW = 10_000_000;
const cloud: Cloud = {
  id: ["a", "b", "c", "d"],
  at: [9_000, 8_000, 7_000, 6_000],
  took: [1, 100, null, 0.5],
  state: ["success", "failed", "running", "success"],
  workflow: ["w", "w", "w", "w"],
};
const x = linearScale([6_000_000, NOW], [0, 1000]);
const y = logScale([0.1, 10_000], [100, 0]);

test("runs under way have taken until now", () => {
  expect(extentOf(cloud, NOW)).toEqual({ begin: 6_000_000, least: 0.5, most: 3_000 });
  expect(extentOf({ id: [], at: [], took: [], state: [], workflow: [] }, NOW)).toBeNull();
});

test("the mark under the pointer is found, and nothing where there is none", () => {
  expect(nearest(cloud, { x: x.at(8_000_000) + 3, y: y.at(100) - 2 }, x, y, NOW)).toBe(1);
  expect(nearest(cloud, { x: x.at(7_000_000), y: y.at(3_000) }, x, y, NOW)).toBe(2);
  expect(nearest(cloud, { x: 400, y: 99 }, x, y, NOW)).toBe(-1);
});

test("a brush of times holds runs under way, and one of durations does not", () => {
  const began = { from: 6_500_000, to: null };

  expect(Object.fromEntries(heldBy(cloud, { began, took: null }))).toEqual({
    success: 1,
    failed: 1,
    running: 1,
  });
  expect(Object.fromEntries(heldBy(cloud, { began, took: { over: 10, under: null } }))).toEqual({
    failed: 1,
  });
  expect(heldBy(cloud, { began, took: { over: null, under: 0.6 } }).size).toBe(0);
});

test("what a brush holds is said with the failures first", () => {
  expect(
    heldText(
      new Map([
        ["failed", 36],
        ["success", 22],
      ]),
    ),
  ).toBe("36 failed of 58");
  expect(heldText(new Map([["failed", 3]]))).toBe("3 failed");
  expect(heldText(new Map([["success", 1]]))).toBe("1 run");
});
