import { expect, test } from "vitest";
import type { StatsPoint } from "../../api/schema";
import { barsOf, DAY, fittingWindow, HOUR, pointText, sparkOf, windowOf, WINDOWS } from "./ended";

const point = (succeeded: number, failed = 0, cancelled = 0): StatsPoint => ({
  at: "2026-03-17T08:00:00Z",
  started: 0,
  succeeded,
  failed,
  cancelled,
});

test("successes and failures have scales of their own, and one failure is seen", () => {
  const chart = barsOf([point(1_000), point(500, 1), point(0)], 300, 100, 30);

  expect(chart.top).toBe(1_000);
  expect(chart.bars.map((each) => each.succeeded)).toEqual([100, 50, 0]);
  expect(chart.bars[1]?.failed).toBeGreaterThanOrEqual(3);
  expect(chart.bars[0]?.failed).toBe(0);
  expect(barsOf([point(0, 80)], 300, 100, 30).bars[0]?.failed).toBe(30);
});

test("bars fill the width, and do not overlap", () => {
  const { bars } = barsOf(
    Array.from({ length: 96 }, () => point(1)),
    900,
    100,
    30,
  );

  expect(bars.at(-1)?.left).toBeCloseTo(900 - 900 / 96);
  expect(
    bars.every(
      (each, index) => !index || each.left >= (bars[index - 1]?.left ?? 0) + (bars[index - 1]?.width ?? 0),
    ),
  ).toBe(true);
  expect(barsOf([], 900, 100, 30).bars).toEqual([]);
});

test("each window has between 50 and 100 bars", () => {
  for (const each of WINDOWS) {
    expect(each.last / each.step).toBeGreaterThan(50);
    expect(each.last / each.step).toBeLessThan(100);
  }
  expect(windowOf("week")?.last).toBe(604_800);
  expect(windowOf("nonsense")).toBe(null);
});

test("a history of minutes is shown as an hour, a longer one and none as a day", () => {
  const now = Date.parse("2026-03-17T08:47:00Z");
  const quarter = (at: string, succeeded = 0, failed = 0) => ({ ...point(succeeded, failed), at });
  const early = quarter("2026-03-17T07:30:00Z");

  expect(fittingWindow([early, quarter("2026-03-17T08:30:00Z", 12)], now)).toBe(HOUR);
  expect(fittingWindow([early, quarter("2026-03-17T08:00:00Z", 0, 1)], now)).toBe(HOUR);
  expect(fittingWindow([{ ...early, cancelled: 1 }, quarter("2026-03-17T08:30:00Z", 12)], now)).toBe(DAY);
  expect(fittingWindow([early], now)).toBe(DAY);
});

test("a bar is said in words", () => {
  expect(pointText(point(1_200, 3))).toBe("1,200 succeeded, 3 failed");
  expect(pointText(point(0))).toBe("0 succeeded");
});

test("a small chart has a place for each hour, and shows where failures are", () => {
  const hour = (at: string, succeeded: number, failed = 0) => ({ at, succeeded, failed });
  const points = [
    hour("2026-03-16T08:00:00Z", 90),
    hour("2026-03-16T09:00:00Z", 10),
    hour("2026-03-17T06:00:00Z", 0),
    hour("2026-03-17T08:00:00Z", 1, 1),
  ];

  const places = sparkOf(points.slice(1), 14, Date.parse("2026-03-17T08:47:00Z"));

  expect(places).toHaveLength(24);
  expect(places[0]).toEqual({ up: 14, failed: 0 });
  expect(places[23]).toEqual({ up: 2.8000000000000003, failed: 2 });
  expect(places.slice(1, 23).every((each) => each.up === 0)).toBe(true);
  expect(sparkOf(points, 14, Date.parse("2026-03-17T08:47:00Z"))).toHaveLength(24);
});
