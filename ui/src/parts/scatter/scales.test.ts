import { expect, test } from "vitest";
import { durationDomain, durationTicks, linearScale, logScale, niceTop, timeTicks } from "./scales";

test("a scale maps both ways, and keeps what is outside at its edge", () => {
  const scale = linearScale([0, 100], [10, 210]);

  expect(scale.at(50)).toBe(110);
  expect(scale.value(110)).toBe(50);
  expect(scale.at(-5)).toBe(10);
  expect(scale.at(1e9)).toBe(210);
});

test("on a logarithmic scale each factor of ten has the same height", () => {
  const scale = logScale([0.1, 1000], [200, 0]);

  expect(scale.at(0.1)).toBe(200);
  expect(scale.at(1)).toBeCloseTo(150);
  expect(scale.at(10)).toBeCloseTo(100);
  expect(scale.value(50)).toBeCloseTo(100);
  expect(scale.at(0)).toBe(200);
});

test("a scale without width has a place for everything", () => {
  expect(linearScale([5, 5], [0, 100]).at(5)).toBe(0);
});

test("lines of durations are those that people know, and not too many", () => {
  expect(durationTicks(0.1, 36_000, 20).map((each) => each.label.replace(/\u00a0/g, " "))).toEqual([
    "100 ms",
    "1 s",
    "10 s",
    "1 min",
    "10 min",
    "1 h",
    "10 h",
  ]);
  expect(durationTicks(0.001, 864_000, 4).length).toBeLessThanOrEqual(4);
});

test.each([
  [0.02, 40, [0.01, 60]],
  [2, 3, [1, 100]],
  [0, 0, [0.001, 0.1]],
  [1, 90_000_000, [1, 90_000_000]],
])("the domain of %s to %s seconds goes from stop to stop", (least, most, domain) => {
  expect(durationDomain(least, most)).toEqual(domain);
});

const day = (date: number, hour = 0, minute = 0) => new Date(2026, 2, date, hour, minute).getTime();

test("a day has a mark every three hours, and names the day where it changes", () => {
  const ticks = timeTicks(day(16, 8, 47), day(17, 8, 47), 9);

  expect(ticks.map((each) => each.label)).toEqual([
    "Mon 09:00",
    "12:00",
    "15:00",
    "18:00",
    "21:00",
    "Tue 00:00",
    "03:00",
    "06:00",
  ]);
});

test("an hour has minutes, and months have dates", () => {
  expect(timeTicks(day(16, 8), day(16, 8, 40), 9).map((each) => each.label)).toContain("08:10");
  expect(timeTicks(day(1), day(28), 6).map((each) => each.label)).toEqual([
    "1 Mar",
    "8 Mar",
    "15 Mar",
    "22 Mar",
  ]);
});

test("marks of many years are round years", () => {
  const labels = (from: number, to: number) => {
    const [begin, end] = [from, to].map((year) => new Date(2000, 5, 1).setFullYear(year));
    return timeTicks(begin ?? 0, end ?? 0, 8).map((each) => each.label);
  };

  expect(labels(1, 2026)).toEqual(["500", "1000", "1500", "2000"]);
  expect(labels(2006, 2026)).toEqual(["2010", "2015", "2020", "2025"]);
});

test("marks are within the axis, in order, and no more than asked for", () => {
  for (const hours of [0.001, 0.01, 0.5, 3, 20, 50, 200, 5_000, 90_000]) {
    const [begin, end] = [day(3, 5, 7), day(3, 5, 7) + hours * 3_600_000];
    const marks = timeTicks(begin, end, 8).map((each) => each.value);

    expect(marks.length).toBeLessThanOrEqual(9);
    expect(marks.every((each) => each >= begin && each <= end)).toBe(true);
    expect(marks).toEqual([...marks].sort((a, b) => a - b));
  }
});

test.each([
  [0, 4],
  [3, 4],
  [7, 8],
  [31, 40],
  [302, 400],
  [1_001, 2_000],
])("a chart of %s has its top at %s", (value, top) => {
  expect(niceTop(value)).toBe(top);
});
