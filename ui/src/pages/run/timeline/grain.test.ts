import { expect, test } from "vitest";
import { histogram, indexAt, moved, placeOf, shadeOf, slowest, squaresFor, thresholdsOf } from "./grain";

test("2,000 squares fit into a few rows, and 100,000 are 2 pixels each", () => {
  expect(squaresFor(2_000, 816)).toEqual({ pitch: 6, size: 5, columns: 136, rows: 15 });
  expect(squaresFor(100_000, 816)).toEqual({ pitch: 2, size: 2, columns: 408, rows: 246 });
  expect(squaresFor(0, 816).rows).toBe(1);
});

test("each square is found where it is drawn", () => {
  const squares = squaresFor(2_000, 816);

  for (const index of [0, 1, 135, 136, 1_999]) {
    const { x, y } = placeOf(index, squares);
    expect(indexAt(x + 1, y + 1, squares, 2_000)).toBe(index);
  }
  expect(indexAt(815, 14 * 6 + 1, squares, 2_000)).toBe(null);
});

test("keys move by one, by a row, and to the ends", () => {
  const squares = squaresFor(2_000, 816);

  expect(moved(5, "ArrowDown", squares, 2_000)).toBe(141);
  expect(moved(5, "ArrowUp", squares, 2_000)).toBe(0);
  expect(moved(5, "End", squares, 2_000)).toBe(1_999);
  expect(moved(5, "x", squares, 2_000)).toBe(null);
});

test("most tasks have a quick shade and few a slow one", () => {
  const took = Array.from({ length: 100 }, (_, index) => (index + 1) / 10);
  const limits = thresholdsOf(took);
  const shades = took.map((each) => shadeOf("s", each, limits));

  expect(shades.filter((each) => each === 0).length).toBeGreaterThanOrEqual(50);
  expect(shades.filter((each) => each === 3).length).toBeLessThanOrEqual(5);
  expect(shades.at(-1)).toBe(3);
});

test("what failed or is under way has no shade of slowness", () => {
  expect(["f", "r", "p", "d", "k", "c"].map((letter) => shadeOf(letter, 1, [1, 2, 3]))).toEqual([
    "failed",
    "running",
    "open",
    "open",
    "off",
    "off",
  ]);
});

test("the slowest are found, the slowest first", () => {
  expect(slowest([1, null, 9, 3, 9, 2], 3)).toEqual([2, 4, 3]);
  expect(slowest([], 3)).toEqual([]);
});

test("a histogram counts each task once", () => {
  expect(histogram([0, 1, 2, 4, null], 4)).toEqual({ counts: [1, 1, 1, 1], most: 4 });
  expect(histogram([null], 2)).toEqual({ counts: [0, 0], most: 0 });
});
