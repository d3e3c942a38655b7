import { expect, test } from "vitest";
import { areaOf } from "./busy";
import { axisOf } from "./scale";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const axis = axisOf({ from: 0, to: 100_000 }, [], 100);

test("the area has a step for each span, and the most at once is its height", () => {
  const area = areaOf({ begin: at(10), end: at(30), bin: 10, running: [2, 4], most: 4 }, axis, 20);

  expect(area).toEqual({
    path: "M10.0 0L10.0 -10.0L20.0 -10.0L20.0 -20.0L30.0 -20.0L30.0 0Z",
    from: 10,
    to: 30,
  });
});

test("what has not begun has no area", () => {
  expect(areaOf({ begin: null, end: null, bin: 0, running: [], most: 0 }, axis, 20)).toBe(null);
});

test("what was very short is seen", () => {
  const area = areaOf({ begin: at(10), end: at(10), bin: 0, running: [1], most: 1 }, axis, 20);

  expect(area?.to).toBe(11);
});
