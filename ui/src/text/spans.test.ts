import { expect, test } from "vitest";
import {
  readDuration,
  readDurationSpan,
  readTimeSpan,
  writeDuration,
  writeDurationSpan,
  writeMoment,
  writeTimeSpan,
} from "./spans";

const NOW = new Date(2026, 2, 17, 8, 47, 22).getTime();
const at = (day: number, hour = 0, minute = 0) => new Date(2026, 2, day, hour, minute).getTime();

test.each([
  ["30s", 30],
  ["1.5h", 5_400],
  ["500ms", 0.5],
  ["2 min", 120],
  ["1w", 604_800],
  ["", null],
  ["30", null],
  ["-3s", null],
  ["s", null],
])("the duration %s is %s seconds", (text, seconds) => {
  expect(readDuration(text)).toBe(seconds);
});

test.each([
  [0.25, "250ms"],
  [1.5, "1.5s"],
  [30, "30s"],
  [90, "1.5m"],
  [95, "95s"],
  [3_600, "1h"],
  [172_800, "2d"],
])("%s seconds are written %s, and read as the same", (seconds, text) => {
  expect(writeDuration(seconds)).toBe(text);
  expect(readDuration(text)).toBeCloseTo(seconds, 6);
});

test.each([
  ["24h", NOW - 86_400_000, null],
  ["today", at(17), null],
  ["yesterday", at(16), at(17)],
  ["2026-03-16", at(16), at(17)],
  ["2026-03-16..", at(16), null],
  ["..2026-03-16", null, at(17)],
  ["..1h", null, NOW - 3_600_000],
  ["24h..1h", NOW - 86_400_000, NOW - 3_600_000],
  ["00:12..01:04", at(17, 0, 12), at(17, 1, 4)],
  ["2026-03-16T00:12..2026-03-16T01:04", at(16, 0, 12), at(16, 1, 4)],
])("began %s is a span", (text, from, to) => {
  expect(readTimeSpan(text, NOW)).toEqual({ from, to });
});

test("a span ends where the years of the server do", () => {
  const first = Date.parse("0001-01-01T00:00:00Z");
  const last = Date.parse("9999-12-31T23:59:59.999Z");

  expect(readTimeSpan("0000-12-31T00:00:00Z..9999-12-31T23:59:59-01:00", NOW)).toEqual({
    from: first,
    to: last,
  });
  expect(readTimeSpan("9999999999d", NOW)).toEqual({ from: first, to: null });
  expect(readTimeSpan("..9999999999d", NOW)).toEqual({ from: null, to: first });
  expect(new Date(readTimeSpan("..9999-12-31", NOW)?.to ?? 0).getUTCFullYear()).toBe(9999);
});

test("a year below 100 is not one of the last century", () => {
  const span = readTimeSpan("0099-05-05", NOW);
  const years = [span?.from, span?.to].map((at) => new Date(at ?? 0).getFullYear());

  expect(years).toEqual([99, 99]);
});

test("a clock time that is still to come was yesterday's", () => {
  expect(readTimeSpan("23:50..00:10", NOW)).toEqual({ from: at(16, 23, 50), to: at(17, 0, 10) });
});

test.each(["", "..", "soon", "2026-02-31", "25:00..", "1h..24h", "12:61..", "2026-03-16..noon", "08:12"])(
  "%j is no span of time",
  (text) => {
    expect(readTimeSpan(text, NOW)).toBeNull();
  },
);

test("a time that is sent to somebody else means the same there", () => {
  const span = { from: Date.parse("2026-03-16T23:12:00Z"), to: Date.parse("2026-03-17T00:04:30Z") };

  expect(writeTimeSpan(span)).toBe("2026-03-16T23:12Z..2026-03-17T00:04:30Z");
  expect(readTimeSpan(writeTimeSpan(span), NOW)).toEqual(span);
  expect(writeMoment(1_773_702_723_114)).toBe("2026-03-16T23:12:03.114Z");
});

test.each([
  [">30s", { over: 30, under: null }],
  ["<5m", { over: null, under: 300 }],
  ["1m..10m", { over: 60, under: 600 }],
  ["30s..", { over: 30, under: null }],
  ["..5s", { over: null, under: 5 }],
])("took %s is a span, and written so that it is read as the same", (text, span) => {
  const read = readDurationSpan(text);

  expect(read).toEqual(span);
  expect(read && readDurationSpan(writeDurationSpan(read))).toEqual(span);
});

test.each(["", "30s", ">", "10m..1m", "..", ">fast"])("%j is no span of durations", (text) => {
  expect(readDurationSpan(text)).toBeNull();
});
