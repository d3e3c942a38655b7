import { expect, test } from "vitest";
import type { TaskInfo } from "../../../api/schema";
import { inView, MOST_PAGES, PAGE, PageCache, pagesBetween, readNumber, topFor } from "./pages";

const items = (page: number) =>
  Array.from({ length: PAGE }, (_, index) => ({ seq: page * PAGE + index }) as TaskInfo);

test("the pages of what is in view are found", () => {
  expect(pagesBetween(0, 40, 100_000)).toEqual([0]);
  expect(pagesBetween(190, 420, 100_000)).toEqual([0, 1, 2]);
  expect(pagesBetween(0, 40, 0)).toEqual([]);
  expect(pagesBetween(99_990, 100_020, 100_000)).toEqual([499]);
});

test("a row is found in its page", () => {
  const cache = new PageCache();
  cache.set(3, items(3));

  expect(cache.row(3 * PAGE + 7)?.seq).toBe(607);
  expect(cache.row(0)).toBe(undefined);
});

test("pages that were not used for long are dropped, those in use stay", () => {
  const cache = new PageCache();
  cache.set(0, items(0));
  for (let page = 1; page < MOST_PAGES; page += 1) cache.set(page, items(page));
  cache.get(0);

  cache.set(MOST_PAGES, items(MOST_PAGES));

  expect(cache.has(0)).toBe(true);
  expect(cache.has(1)).toBe(false);
});

test("only rows in view are drawn", () => {
  expect(inView(0, 600, 30, 100_000)).toEqual({ first: 0, last: 30 });
  expect(inView(30_000, 600, 30, 100_000)).toEqual({ first: 990, last: 1_030 });
  expect(inView(0, 600, 30, 5)).toEqual({ first: 0, last: 5 });
});

test("a row is brought to the middle unless it is in view", () => {
  expect(topFor(99_999, 0, 600, 30)).toBe(2_999_685);
  expect(topFor(19, 0, 600, 30)).toBe(null);
  expect(topFor(20, 0, 600, 30)).toBe(315);
  expect(topFor(3, 100, 600, 30)).toBe(0);
  expect(topFor(5, 0, 600, 30)).toBe(null);
});

test("the number of a task is read however it is written", () => {
  expect(["412", "[412]", " task 412 ", "x", "-1", ""].map(readNumber)).toEqual([
    412,
    412,
    412,
    null,
    null,
    null,
  ]);
});
