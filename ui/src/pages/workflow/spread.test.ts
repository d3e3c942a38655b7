import { expect, it } from "vitest";
import type { TookNumbers } from "../../api/schema";
import { placeOn, scaleOf, ticksOf } from "./spread";

const took = (least: number, median: number, most: number): TookNumbers => ({
  least,
  median,
  p95: most,
  p99: most,
  most,
});

it("makes one scale for all, by whole tens", () => {
  expect(scaleOf([took(0.02, 0.3, 4), took(0.2, 3, 70)])).toEqual({ min: 0.01, max: 100 });
});

it("has a scale for what took no time, and none for nothing", () => {
  expect(scaleOf([took(0, 0, 0)])).toEqual({ min: 0.001, max: 0.01 });
  expect(scaleOf([])).toBeNull();
});

it("places values by their logarithm, within the scale", () => {
  const scale = { min: 0.01, max: 100 };
  expect(placeOn(1, scale)).toBeCloseTo(0.5);
  expect(placeOn(0, scale)).toBe(0);
  expect(placeOn(1e9, scale)).toBe(1);
});

it("names the tens, and leaves out some if there are too many", () => {
  expect(ticksOf({ min: 0.01, max: 100 }, 5).map((value) => value.toPrecision(1))).toHaveLength(5);
  expect(ticksOf({ min: 0.001, max: 1e6 }, 4)).toHaveLength(4);
});
