import { expect, it } from "vitest";
import { waitedNames, waitsText } from "./waits";

const NOW = new Date(2026, 2, 17, 8, 47).getTime();
const TOMORROW = new Date(2026, 2, 18, 2).toISOString();

it("says what a run waits for, with times as the pages write them", () => {
  expect(waitsText("promise 'ask'", NOW)).toBe("waits for promise 'ask'");
  expect(waitsText(`promise 'ask'; until ${TOMORROW}`, NOW)).toBe(
    "waits for promise 'ask'; until tomorrow 02:00",
  );
});

it("says until when a run waits that waits for a time", () => {
  expect(waitsText(`until ${TOMORROW}`, NOW)).toBe("waits until tomorrow 02:00");
});

it("offers the names of all that the run waits for", () => {
  const waiting = `update 'add'; update "it's"; signal 'paid'; until ${TOMORROW}`;
  expect(waitedNames("update", waiting)).toEqual(["add", "it's"]);
  expect(waitedNames("signal", waiting)).toEqual(["paid"]);
  expect(waitedNames("signal", null)).toEqual([]);
});
