import { expect, test } from "vitest";
import type { RunInfo } from "../../api/schema";
import { keysBetween, mergePage, shareOf, shownRows, type Row } from "./rows";

const run = (number: number, status = "running") =>
  ({ key: `k${String(number).padStart(3, "0")}`, status }) as unknown as RunInfo;
const rowsOf = (...numbers: number[]): Row[] => numbers.map((each) => ({ run: run(each), isGone: false }));
const keys = (rows: Row[]) => rows.map((each) => each.run.key);

test("a page that is loaded again changes rows in place, and no row moves", () => {
  const { rows, arrivals } = mergePage(rowsOf(9, 8, 7, 6), 0, [run(9), run(8, "failed")], false);

  expect(keys(rows)).toEqual(["k009", "k008", "k007", "k006"]);
  expect(rows[1]?.run.status).toBe("failed");
  expect(rows.some((each) => each.isGone)).toBe(false);
  expect(arrivals).toEqual([]);
});

test("what came since is told, and is newer than the first row", () => {
  const { rows, arrivals, areNewest } = mergePage(rowsOf(9, 8), 0, [run(11), run(10), run(9)], false);

  expect(keys(rows)).toEqual(["k009", "k008"]);
  expect(arrivals.map((each) => each.key)).toEqual(["k011", "k010"]);
  expect(areNewest).toBe(true);
});

test("a run that matches now, and belongs between two rows, is told too", () => {
  const { arrivals, areNewest } = mergePage(rowsOf(9, 7), 0, [run(9), run(8), run(7)], false);

  expect(arrivals.map((each) => each.key)).toEqual(["k008"]);
  expect(areNewest).toBe(false);
});

test("a row that no longer matches stays, and is dimmed; one behind the page is left alone", () => {
  const { rows } = mergePage(rowsOf(9, 8, 7, 6), 0, [run(9), run(7)], false);

  expect(rows.map((each) => each.isGone)).toEqual([false, true, false, false]);
});

test("if nothing follows the page, all that it does not have is gone", () => {
  expect(mergePage(rowsOf(9, 8, 7), 1, [run(8)], true).rows.map((each) => each.isGone)).toEqual([
    false,
    false,
    true,
  ]);
  expect(mergePage(rowsOf(9, 8), 0, [], true).rows.every((each) => each.isGone)).toBe(true);
});

test("a row that matches again is no longer dimmed", () => {
  const gone = mergePage(rowsOf(9, 8), 0, [run(8)], true).rows;

  expect(mergePage(gone, 0, [run(9), run(8)], true).rows.some((each) => each.isGone)).toBe(false);
});

test("only rows in view are drawn, and the others keep their room", () => {
  const shown = shownRows(3_000, 900, 30, 5_000);

  expect(shown.first).toBe(88);
  expect(shown.last).toBe(142);
  expect(shown.above + shown.below + (shown.last - shown.first) * 30).toBe(150_000);
});

test.each([
  [-500, 900, 30, 10],
  [0, 900, 30, 0],
  [999_999, 900, 30, 100],
  [100, 0, 30, 5],
])("what is drawn is a part of the list, wherever the window is", (top, height, row, count) => {
  const shown = shownRows(top, height, row, count);

  expect(shown.first).toBeGreaterThanOrEqual(0);
  expect(shown.last).toBeLessThanOrEqual(Math.max(count, shown.first));
  expect(shown.above + (shown.last - shown.first) * row + shown.below).toBe(count * row);
});

test("rows between two are chosen from either side", () => {
  const rows = rowsOf(9, 8, 7, 6);

  expect(keysBetween(rows, "k008", "k006")).toEqual(["k008", "k007", "k006"]);
  expect(keysBetween(rows, "k006", "k008")).toEqual(["k008", "k007", "k006"]);
  expect(keysBetween(rows, "lost", "k008")).toEqual(["k008"]);
});

test("bars of durations tell milliseconds and hours apart", () => {
  expect(shareOf(3_600, 3_600)).toBe(1);
  expect(shareOf(0.01, 3_600)).toBeGreaterThan(0.02);
  expect(shareOf(0.01, 3_600)).toBeLessThan(shareOf(1, 3_600));
  expect(shareOf(null, 3_600)).toBe(0);
});
