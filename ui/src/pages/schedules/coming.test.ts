import { expect, it } from "vitest";
import { comingLines, nextText } from "./coming";

const ticks = (...times: string[]) => times.map((tick) => ({ tick, at: tick }));

it("tells a tick on the clocks of the schedule and here", () => {
  const coming = ticks("2026-03-17T09:00:00Z", "2026-03-17T21:00:00Z");
  expect(comingLines(coming, [], "Asia/Tokyo", "Europe/Berlin", 5)).toEqual([
    { day: "Tue 17 March", time: "18:00", here: "10:00 here", change: "" },
    { day: "Wed 18 March", time: "06:00", here: "Tue 22:00 here", change: "" },
  ]);
});

it("says nothing of here if the clocks show the same, and says by how much jitter delays", () => {
  const coming = [{ tick: "2026-03-17T09:00:00Z", at: "2026-03-17T09:00:12Z" }];
  expect(comingLines(coming, [], "UTC", "UTC", 5)[0]?.here).toBe("fires 12\u00a0s later");
});

it("puts a change of the clocks between the ticks that it falls between", () => {
  const coming = ticks("2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
  const changes = [
    { at: "2026-03-29T01:00:00Z", before: 3600, after: 7200 },
    { at: "2026-10-25T01:00:00Z", before: 7200, after: 3600 },
  ];
  const lines = comingLines(coming, changes, "Europe/Berlin", "UTC", 5);
  expect(lines.map((line) => line.change || line.time)).toEqual([
    "02:30",
    "The clocks of Berlin go forward by 1\u00a0h.",
    "03:00",
    "02:30",
  ]);
});

it("leaves out seconds that are zero", () => {
  const now = Date.parse("2026-03-17T12:00:00Z");
  expect(nextText("2026-03-17T12:45:00Z", now)).toMatch(/^\d\d:45$/);
  expect(nextText("2026-03-17T12:45:55Z", now)).toMatch(/^\d\d:45:55$/);
  expect(nextText("2026-03-19T12:00:00Z", now)).toMatch(/^Thu 19 March \d\d:00$/);
});
