import { expect, test } from "vitest";
import { begin, fit, READABLE, reveal, within, zoom } from "./zoom";

const window = { width: 1000, height: 200 };

test("a small drawing is not enlarged and stands in the middle", () => {
  expect(fit({ width: 300, height: 100 }, window)).toEqual({ scale: 1, x: 350, y: 50 });
});

test("a large drawing is shrunk by its longer side", () => {
  const stand = fit({ width: 1960, height: 100 }, window);

  expect(stand.scale).toBeCloseTo(0.5);
  expect(stand.x).toBeCloseTo(10);
});

test("a drawing that would be unreadable begins at what matters", () => {
  const stand = begin({ width: 10_000, height: 100 }, window, { x: 9_950, y: 50 });

  expect(stand.scale).toBe(READABLE);
  expect(stand.x + 9_950 * READABLE).toBeLessThanOrEqual(990);
  expect(stand.x + 10_000 * READABLE).toBeCloseTo(990);
});

test("the point under the hand stays where it is", () => {
  const before = { scale: 1, x: 20, y: 30 };

  const after = zoom(before, 1.25, { x: 120, y: 80 });

  expect((120 - after.x) / after.scale).toBeCloseTo(100);
  expect((80 - after.y) / after.scale).toBeCloseTo(50);
});

test("the scale has limits", () => {
  expect(zoom({ scale: 1, x: 0, y: 0 }, 100, { x: 0, y: 0 }).scale).toBe(2);
  expect(zoom({ scale: 1, x: 0, y: 0 }, 0.001, { x: 0, y: 0 }).scale).toBe(0.15);
});

test("a drawing cannot be pushed out of the window", () => {
  expect(within({ scale: 1, x: 5_000, y: 0 }, { width: 300, height: 100 }, window).x).toBe(690);
  expect(within({ scale: 1, x: -5_000, y: 0 }, { width: 3_000, height: 100 }, window).x).toBe(-2_010);
});

test("a box outside of the window is brought into it by the shortest way", () => {
  const stand = reveal({ scale: 1, x: 0, y: 0 }, { x: 1_200, y: 20, width: 100, height: 60 }, window);

  expect(stand).toEqual({ scale: 1, x: -310, y: 0 });
});
