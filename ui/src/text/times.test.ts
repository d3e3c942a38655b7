import { describe, expect, it } from "vitest";
import { relative, shortTime, wholeTime } from "./times";

const now = new Date(2026, 2, 17, 8, 47, 22).getTime();

describe("relative", () => {
  it.each([
    [now - 6 * 60_000, "6 min ago"],
    [now + 38_000, "in 38 s"],
    [now + 400, "now"],
    [now - 26 * 3_600_000, "1 d 2 h ago"],
  ])("tells %s as %s", (at, text) => {
    expect(relative(at, now).replaceAll("\u00a0", " ")).toBe(text);
  });
});

describe("shortTime", () => {
  it.each([
    [new Date(2026, 2, 17, 2, 0, 4), "02:00:04"],
    [new Date(2026, 2, 16, 23, 59, 59), "yesterday 23:59"],
    [new Date(2026, 2, 18, 2, 0, 0), "tomorrow 02:00"],
    [new Date(2026, 2, 12, 9, 30, 0), "Thu 12 March 09:30"],
    [new Date(2024, 2, 12, 9, 30, 0), "12 March 2024"],
  ])("tells %s as %s", (at, text) => {
    expect(shortTime(at.getTime(), now)).toBe(text);
  });
});

it("names the zone in the whole time", () => {
  expect(wholeTime(now)).toMatch(/Tuesday.*17 March 2026.*08:47:22.*GMT.*\(.+\)/);
});
