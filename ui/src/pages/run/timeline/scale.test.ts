import { expect, test } from "vitest";
import {
  axisOf,
  CUT_WIDTH,
  gapsOf,
  labelsOf,
  NOW_WIDTH,
  readNames,
  readSpan,
  roundStep,
  ticksOf,
  writeNames,
  writeSpan,
} from "./scale";

const HOUR = 3_600_000;

test("a long stretch without work is a gap, and its ends are shown", () => {
  const [gap, ...others] = gapsOf(
    [
      { from: 0, to: 60_000 },
      { from: 6 * HOUR, to: 6 * HOUR + 60_000 },
    ],
    { from: 0, to: 6 * HOUR + 60_000 },
  );

  expect(others).toEqual([]);
  expect(gap?.from).toBeGreaterThan(60_000);
  expect(gap?.to).toBeLessThan(6 * HOUR);
  expect((gap?.to ?? 0) - (gap?.from ?? 0)).toBeGreaterThan(5.9 * HOUR);
});

test("short gaps are left, be they short in time or in share", () => {
  const work = (pause: number) => [
    { from: 0, to: 1_000 },
    { from: 1_000 + pause, to: 2_000 + pause },
  ];

  expect(gapsOf(work(29_000), { from: 0, to: 31_000 })).toEqual([]);
  expect(gapsOf([{ from: 0, to: 10 * HOUR }, ...work(0)], { from: 0, to: 10 * HOUR + 60_000 })).toEqual([]);
});

test("work that lies in other work does not end it", () => {
  const work = [
    { from: 0, to: HOUR },
    { from: 1_000, to: 2_000 },
  ];

  expect(gapsOf(work, { from: 0, to: HOUR })).toEqual([]);
});

test("the wait at the end is a gap as well", () => {
  expect(gapsOf([{ from: 0, to: 1_000 }], { from: 0, to: HOUR })).toHaveLength(1);
});

test("a cut takes its width, and the rest is to scale", () => {
  const axis = axisOf({ from: 0, to: 1_000 }, [{ from: 400, to: 900 }], 564);

  expect(axis.at(0)).toBe(0);
  expect(axis.at(400)).toBeCloseTo(400);
  expect(axis.at(900)).toBeCloseTo(400 + CUT_WIDTH);
  expect(axis.at(1_000)).toBeCloseTo(564);
  expect(axis.at(5_000)).toBeCloseTo(564);
});

test("places and times lead back to each other", () => {
  const axis = axisOf({ from: 0, to: 1_000 }, [{ from: 400, to: 900 }], 564);

  for (const time of [0, 123, 400, 650, 900, 999]) expect(axis.time(axis.at(time))).toBeCloseTo(time);
});

test("of many gaps only the longest are cut", () => {
  const gaps = Array.from({ length: 40 }, (_, index) => ({
    from: index * 100,
    to: index * 100 + 10 + index,
  }));

  const cuts = axisOf({ from: 0, to: 4_000 }, gaps, 640).pieces.filter((each) => each.isCut);

  expect(cuts).toHaveLength(5);
  expect(cuts[0]?.from).toBe(3_500);
});

test("an axis of no length can be drawn", () => {
  const axis = axisOf({ from: 5, to: 5 }, [], 100);

  expect(axis.at(5)).toBe(0);
  expect(ticksOf(axis).length).toBeLessThan(3);
});

test("a short run is counted from its beginning in round steps", () => {
  const ticks = ticksOf(axisOf({ from: 1_700_000_000_123, to: 1_700_000_000_623 }, [], 600));

  expect(ticks.map((each) => each.label)).toEqual([
    "0",
    "100\u00a0ms",
    "200\u00a0ms",
    "300\u00a0ms",
    "400\u00a0ms",
    "500\u00a0ms",
  ]);
});

test("a brushed stretch is counted from the beginning of the run, if that is not long ago", () => {
  const axis = axisOf({ from: 1_093, to: 1_293 }, [], 300);

  expect(ticksOf(axis, 1_000).map((each) => each.label)).toEqual(["100\u00a0ms", "200\u00a0ms"]);
  expect(ticksOf(axis, 1_000 - HOUR).map((each) => each.label)).toEqual(["0", "100\u00a0ms", "200\u00a0ms"]);
});

test("labels of ticks that would be cut off at the end are left out, and the marks stay", () => {
  const { ticks } = labelsOf(axisOf({ from: 0, to: 500 }, [], 600), null);

  expect(ticks).toHaveLength(6);
  expect(ticks.at(-1)?.label).toBe("");
  expect(ticks.at(-2)?.label).toBe("400\u00a0ms");
});

test("the time of now covers no label", () => {
  for (let now = 0; now <= 600; now += 7) {
    const { ticks, now: box } = labelsOf(axisOf({ from: 0, to: 500 }, [], 600), now);
    for (const tick of ticks.filter((each) => each.label)) {
      const isLeft = tick.x + tick.label.length * 6 < (box ?? 0);
      expect(isLeft || tick.x > (box ?? 0) + NOW_WIDTH).toBe(true);
    }
  }
});

test("the length of a gap moves aside for the time of now, and ticks make room for both", () => {
  const axis = axisOf({ from: 0, to: HOUR }, [{ from: 20_000, to: HOUR - 20_000 }], 664);
  const cut = axis.pieces.find((each) => each.isCut);
  const middle = (cut?.x ?? 0) + (cut?.width ?? 0) / 2;

  expect(labelsOf(axis, null).gaps.map((each) => each.x)).toEqual([middle]);
  expect(labelsOf(axis, 0).gaps.map((each) => each.x)).toEqual([middle]);
  const [moved] = labelsOf(axis, middle).gaps;
  expect(Math.abs((moved?.x ?? 0) - middle)).toBeGreaterThan(NOW_WIDTH / 2);
});

test("steps are round and large enough", () => {
  expect([1, 1.5, 3, 70, 0.04].map(roundStep)).toEqual([1, 2, 5, 100, 0.05]);
});

test("a brushed stretch is read as it was written", () => {
  const span = { from: 1_200, to: 5_300 };

  expect(readSpan(writeSpan(span, 1_000), 1_000)).toEqual(span);
  expect(readSpan("9..3", 0)).toBe(null);
  expect(readSpan("x", 0)).toBe(null);
});

test("names of open rows are read as they were written", () => {
  expect(readNames(writeNames(["price, all", "50%"]))).toEqual(["price, all", "50%"]);
  expect(readNames("50%")).toEqual(["50%"]);
  expect(readNames("")).toEqual([]);
});

test("a run of a few milliseconds has a tick for each of them, and none twice", () => {
  const labels = ticksOf(axisOf({ from: 0, to: 4 }, [], 800)).map((each) => each.label);

  expect(labels).toEqual(["0", "1\u00a0ms", "2\u00a0ms", "3\u00a0ms", "4\u00a0ms"]);
});
