import { expect, test } from "vitest";
import {
  boxByKey,
  boxOf,
  boxOfBrush,
  brushFilters,
  brushOfBox,
  readBrush,
  writeBrush,
  type Box,
} from "./brush";
import { linearScale, logScale } from "./scales";

const NOW = Date.parse("2026-03-17T08:00:00Z");
const HOUR = 3_600_000;
const chart: Box = { left: 40, right: 1040, top: 10, bottom: 160 };
const x = linearScale([NOW - 24 * HOUR, NOW], [chart.left, chart.right]);
const y = logScale([0.1, 36_000], [chart.bottom, chart.top]);

test("a box becomes times and durations, and they become filters", () => {
  const brush = brushOfBox({ left: 540, right: 640, top: 60, bottom: 110 }, x, y, chart);

  expect(brush.began).toEqual({ from: NOW - 12 * HOUR, to: NOW - 9.6 * HOUR });
  expect(brush.took?.over).toBeCloseTo(y.value(110), 0);
  expect(brushFilters(brush)).toEqual({
    began: "2026-03-16T20:00Z..2026-03-16T22:24Z",
    took: `${brush.took?.over}s..${(brush.took?.under ?? 0) / 60}m`,
  });
});

test("the URL keeps a brush", () => {
  const brush = brushOfBox({ left: 540, right: 640, top: 60, bottom: 110 }, x, y, chart);

  expect(readBrush(writeBrush(brush), NOW)).toEqual(brush);
});

test("what is beyond the edge of the chart belongs to the brush", () => {
  const high = brushOfBox({ left: 540, right: 640, top: chart.top, bottom: 110 }, x, y, chart);
  const whole = brushOfBox({ left: 540, right: 640, top: chart.top, bottom: chart.bottom }, x, y, chart);

  expect(high.took?.under).toBeNull();
  expect(whole.took).toBeNull();
  expect(boxOfBrush(whole, x, y, chart).top).toBe(chart.top);
});

test.each(["", "soon", "24h,fast", ","])("%j is no brush", (text) => {
  expect(readBrush(text, NOW)).toBeNull();
});

test("a box may be drawn from any corner, and stays in the chart", () => {
  expect(boxOf({ x: 500, y: 100 }, { x: -20, y: 400 }, chart)).toEqual({
    left: 40,
    right: 500,
    top: 100,
    bottom: 160,
  });
});

test("arrows make a box, move it and change its size", () => {
  const first = boxByKey(null, "ArrowLeft", false, chart) as Box;
  expect(first.top).toBe(chart.top);
  const moved = boxByKey(first, "ArrowLeft", false, chart) as Box;
  expect(moved.left).toBeLessThan(first.left);
  expect(moved.right - moved.left).toBeCloseTo(first.right - first.left);
  const wider = boxByKey(moved, "ArrowRight", true, chart) as Box;
  expect(wider.left).toBe(moved.left);
  expect(wider.right).toBeGreaterThan(moved.right);

  let box: Box = first;
  for (let count = 0; count < 500; count += 1) box = boxByKey(box, "ArrowRight", false, chart) as Box;
  expect(box.right).toBe(chart.right);
  expect(boxByKey(box, "a", false, chart)).toBeNull();
});
