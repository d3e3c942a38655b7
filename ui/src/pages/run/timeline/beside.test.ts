import { expect, test } from "vitest";
import { placeBeside } from "./beside";

const note = "250 ms, 2 attempts";

test("a note stands behind the bars, or before them if there is no room", () => {
  expect(placeBeside(note, [{ begin: 10, end: 100 }], 600)).toMatchObject({ x: 107, anchor: "start" });
  expect(placeBeside(note, [{ begin: 300, end: 590 }], 600)).toMatchObject({ x: 293, anchor: "end" });
});

test("a note stands between bars if there is room nowhere else", () => {
  const bars = [
    { begin: 500, end: 590 },
    { begin: 0, end: 100 },
    { begin: 110, end: 200 },
  ];

  expect(placeBeside(note, bars, 600)).toMatchObject({ x: 207, anchor: "start", isOnBars: false });
});

test("a note of bars that fill the row lies on them, and so is read", () => {
  const on = { x: 301, anchor: "middle", isOnBars: true };
  expect(placeBeside(note, [{ begin: 2, end: 600 }], 600)).toMatchObject(on);
  expect(placeBeside(note, [{ begin: -900, end: 9_000 }], 600)).toMatchObject({ ...on, x: 300 });
});

test("a note that is wider than the row, or of no bars, is left out", () => {
  expect(placeBeside(note, [{ begin: 0, end: 40 }], 60)).toBe(null);
  expect(placeBeside("", [{ begin: 0, end: 40 }], 60)).toBe(null);
  expect(placeBeside(note, [], 600)).toBe(null);
});

test("a note keeps clear of the lines that cross its row, if it can", () => {
  const on = placeBeside(note, [{ begin: 2, end: 600 }], 600, [250, 300]);
  expect(on).toMatchObject({ x: 450, anchor: "middle", isOnBars: true });
  const before = placeBeside(note, [{ begin: 200, end: 300 }], 600, [350]);
  expect(before).toMatchObject({ x: 193, anchor: "end", isOnBars: false });
  const nowhere = placeBeside(note, [{ begin: 20, end: 300 }], 600, [350]);
  expect(nowhere).toMatchObject({ x: 307, anchor: "start", isOnBars: false });
});
