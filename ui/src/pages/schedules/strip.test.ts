import { describe, expect, it } from "vitest";
import type { PastTick } from "../../api/schema";
import { HALF, marksOf, placeOn, sentenceOf, thicknessOf } from "./strip";

const NOW = Date.parse("2026-03-17T08:47:00Z");
const at = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString();

function past(hours: number, more: Partial<PastTick> = {}): PastTick {
  const started_at = more.run === null ? null : at(hours);
  return {
    tick: at(hours),
    run: "r",
    status: "success",
    started_at,
    finished_at: at(hours),
    took: 0,
    note: "",
    ...more,
  };
}

describe("marksOf", () => {
  const none = { past: [], coming: [], clock_changes: [], is_all: true };
  const comingEvery = (minutes: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const tick = at(((index + 1) * minutes) / 60);
      return { tick, at: tick };
    });

  it("puts now in the middle and twelve hours on either side", () => {
    expect(placeOn(NOW, NOW, 480)).toBe(240);
    expect(placeOn(NOW - HALF, NOW, 480)).toBe(0);
    expect(placeOn(NOW + HALF, NOW, 480)).toBe(480);
  });

  it("draws a run for as long as it took, and one under way until now", () => {
    const ended = past(-6, { finished_at: at(-4), took: 7200 });
    const open = past(-3, { status: "running", finished_at: null, took: null });
    const [first, second] = marksOf({ ...none, past: [ended, open] }, "UTC", NOW, 480);
    expect(first).toMatchObject({ shape: "bar", state: "success", x: 120, width: 40 });
    expect(second).toMatchObject({ shape: "bar", state: "running", x: 180, width: 60 });
  });

  it("cuts a run that began before the strip, and leaves out what ended before it", () => {
    const long = past(-20, { status: "running", finished_at: null, took: null });
    const marks = marksOf({ ...none, past: [past(-13), long] }, "UTC", NOW, 480);
    expect(marks).toHaveLength(1);
    expect(marks[0]).toMatchObject({ x: 0, width: 240 });
  });

  it("shows a tick that was filled in later where it belongs", () => {
    const filled = past(-6, { started_at: at(-1), finished_at: at(-1), took: 0 });
    expect(marksOf({ ...none, past: [filled] }, "UTC", NOW, 480)[0]).toMatchObject({ x: 120 });
  });

  it("tells a tick without a run from one that is late", () => {
    const skipped = past(-2, { run: null, status: "skipped", took: null, note: "no node was up" });
    const due = past(-0.1, { run: null, status: "due" });
    const marks = marksOf({ ...none, past: [skipped, due] }, "UTC", NOW, 480);
    expect(marks.map((mark) => mark.shape)).toEqual(["skip", "late"]);
    expect(marks[0]?.title).toContain("skipped: no node was up");
  });

  it("marks a change of the clocks within the strip only", () => {
    const changes = [
      { at: at(2), before: 3600, after: 7200 },
      { at: at(200), before: 7200, after: 3600 },
    ];
    const marks = marksOf({ ...none, clock_changes: changes }, "Europe/Berlin", NOW, 480);
    expect(marks.map((mark) => mark.shape)).toEqual(["clock"]);
    expect(marks[0]?.title).toContain("the clocks of Berlin go forward by 1\u00a0h");
  });

  it("draws what comes as boxes of one size on whole pixels, and as lines where boxes have no room", () => {
    const hourly = marksOf({ ...none, coming: comingEvery(60, 12) }, "UTC", NOW, 420);
    expect(new Set(hourly.map((mark) => mark.width))).toEqual(new Set([4]));
    expect(hourly.every((mark) => mark.x % 1 === 0.5)).toBe(true);

    const quarters = marksOf({ ...none, coming: comingEvery(15, 47) }, "UTC", NOW, 420);
    expect(quarters).toHaveLength(47);
    expect(new Set(quarters.map((mark) => mark.width))).toEqual(new Set([0]));
  });

  it("draws no more lines than there is room for, up to the edge if not all ticks are known", () => {
    const coming = comingEvery(1, 200);
    const known = marksOf({ ...none, coming }, "UTC", NOW, 420);
    const more = marksOf({ ...none, coming, is_all: false }, "UTC", NOW, 420);

    expect(known.length).toBeLessThan(25);
    expect(known.at(-1)?.x).toBeLessThan(280);
    expect(more.at(-1)?.x).toBeGreaterThan(415);
    expect(more[0]?.title).toContain("not each tick has a line");
  });

  it("says from where on the past is known", () => {
    const marks = marksOf({ ...none, past: [past(-3), past(-2)], is_all: false }, "UTC", NOW, 480);
    expect(marks.find((mark) => mark.shape === "cut")).toMatchObject({ x: 0, width: 179 });
  });

  it("leaves out what comes later than the strip ends", () => {
    const coming = [1, 13].map((hours) => ({ tick: at(hours), at: at(hours) }));
    expect(marksOf({ ...none, coming }, "UTC", NOW, 480)).toHaveLength(1);
  });
});

it("draws many ticks thinner", () => {
  expect(thicknessOf(12, 480)).toBe(4);
  expect(thicknessOf(80, 480)).toBe(1.5);
  expect(thicknessOf(200, 480)).toBe(1.5);
});

it("says what the strip shows", () => {
  const ticks = {
    past: [past(-1), past(-2), past(-3, { status: "failed" }), past(-30)],
    coming: [{ tick: at(1), at: at(1) }],
    is_all: true,
  };
  expect(sentenceOf(ticks, NOW)).toBe("In the last 12 h: 2 success, 1 failed. 1 to come in the next 12 h.");
  expect(sentenceOf({ past: [], coming: [], is_all: true }, NOW)).toBe(
    "No tick in the last 12 h. 0 to come in the next 12 h.",
  );
  expect(sentenceOf({ ...ticks, is_all: false }, NOW)).toContain("1 or more to come");
});
