import { expect, it } from "vitest";
import { inZone, isKnown, moveOf, offsetText, placeOf } from "./zones";

it("tells the time on the clocks of a zone", () => {
  expect(inZone("2026-03-17T09:00:00Z", "Asia/Tokyo")).toEqual({ day: "Tue 17 March", time: "18:00" });
  expect(inZone("2026-03-17T23:30:05Z", "Europe/Berlin")).toEqual({ day: "Wed 18 March", time: "00:30:05" });
});

it("takes UTC for a zone that the browser does not know", () => {
  expect(isKnown("Mars/Olympus")).toBe(false);
  expect(inZone("2026-03-17T09:00:00Z", "Mars/Olympus").time).toBe("09:00");
});

it("names the place of a zone", () => {
  expect(placeOf("America/Argentina/Buenos_Aires")).toBe("Buenos Aires");
  expect(placeOf("UTC")).toBe("UTC");
});

it("writes offsets and what clocks do", () => {
  expect(offsetText(-12_600)).toBe("−03:30");
  expect(offsetText(0)).toBe("+00:00");
  expect(moveOf({ at: "", before: 3600, after: 7200 })).toBe("go forward by 1\u00a0h");
  expect(moveOf({ at: "", before: 39_600, after: 37_800 })).toBe("go back by 30\u00a0min");
});
