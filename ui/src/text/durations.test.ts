import { describe, expect, it } from "vitest";
import { between, duration } from "./durations";

describe("duration", () => {
  it.each([
    [0, "0 ms"],
    [0.0004, "0 ms"],
    [0.64, "640 ms"],
    [0.9999, "1 s"],
    [1.8, "1.8 s"],
    [9.99, "10 s"],
    [38, "38 s"],
    [59.6, "1 min"],
    [79, "1 min 19 s"],
    [65, "1 min 05 s"],
    [3600, "1 h"],
    [6 * 3600 + 31 * 60 + 4, "6 h 31 min"],
    [86_400 + 3 * 3600, "1 d 3 h"],
    [14 * 86_400 + 3600, "14 d"],
    [4000 * 86_400, "4,000 d"],
  ])("says %s seconds as %s", (seconds, text) => {
    expect(duration(seconds).replaceAll("\u00a0", " ")).toBe(text);
  });

  it("says nothing of what is not known", () => {
    expect(duration(null)).toBe("–");
    expect(duration(Number.NaN)).toBe("–");
  });
});

describe("between", () => {
  it("ends now if it has not ended", () => {
    expect(between("2026-03-17T08:00:00Z", null, Date.parse("2026-03-17T08:00:38Z"))).toBe(38);
    expect(between("2026-03-17T08:00:00Z", "2026-03-17T08:00:02Z", 0)).toBe(2);
    expect(between(null, null, 0)).toBeNull();
  });

  it("counts microseconds, as the server does", () => {
    expect(between("2026-03-17T08:00:00.000999Z", "2026-03-17T08:00:00.212100Z", 0)).toBeCloseTo(0.211101, 6);
  });
});
