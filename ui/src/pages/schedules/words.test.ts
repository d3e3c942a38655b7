import { describe, expect, it } from "vitest";
import { catchupWords, clockWords, isRhythm, overlapWords } from "./words";

describe("clockWords", () => {
  const forward = [{ at: "2026-03-29T01:00:00Z", before: 3600, after: 7200 }];
  const back = [{ at: "2026-10-25T01:00:00Z", before: 7200, after: 3600 }];
  const berlin = (cron: string) => ({ cron, timezone: "Europe/Berlin" });

  it("says when the clocks move, on the clocks of the zone", () => {
    expect(clockWords(berlin("30 2 * * *"), forward)).toContain(
      "The clocks of Berlin go forward by 1\u00a0h on Sun 29 March at 02:00.",
    );
  });

  it.each([
    ["30 2 * * *", forward, "fire at that moment, once"],
    ["*/15 * * * *", forward, "do not fire"],
    ["30 2 * * *", back, "the first time only"],
    ["0 * * * *", back, "fire twice"],
  ])("says what %s does then", (cron, changes, words) => {
    expect(clockWords(berlin(cron), changes)).toContain(words);
  });

  it("knows that intervals and some zones have no such days", () => {
    expect(clockWords({ cron: null, timezone: "UTC" }, back)).toContain("no difference");
    expect(clockWords({ cron: "0 6 * * *", timezone: "Asia/Tokyo" }, [])).toContain("Tokyo does not change");
  });
});

it.each([
  ["0 2 * * *", false],
  ["0 9-17 * * *", false],
  ["0 * * * *", true],
  ["*/30 2 * * *", true],
  ["0 0 2 * * *", false],
  ["*/10 0 2 * * *", true],
  ["@hourly", true],
  ["@daily", false],
])("tells whether %s is a rhythm", (cron, expected) => {
  expect(isRhythm(cron)).toBe(expected);
});

it("says what overlap and catch-up do", () => {
  expect(overlapWords({ overlap: "queue" })).toContain("waits until the run before has ended");
  expect(catchupWords({ catchup: "all", catchup_most: 10 })).toContain("the newest 10");
});
