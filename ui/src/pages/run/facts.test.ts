import { expect, test } from "vitest";
import { talliesOf } from "./facts";

function said(
  done: number,
  running: number,
  failed: number,
  rest = 0,
  isEnded = false,
  isExact = true,
  skipped = 0,
) {
  const facts = {
    tasks: done + skipped + running + failed + rest,
    tasks_done: done,
    tasks_skipped: skipped,
    tasks_running: running,
    tasks_failed: failed,
    is_counted_exactly: isExact,
  };
  return talliesOf(facts, isEnded)
    .map((each) => `${each.count} ${each.word}${each.isBad ? " (bad)" : ""}`)
    .join(", ");
}

test("the first number names the tasks, and nothing is said of none", () => {
  expect(said(1_966, 32, 1, 1)).toBe("1,966 tasks done, 32 under way, 1 failed (bad), 1 not begun");
  expect(said(1, 0, 0)).toBe("1 task done");
  expect(said(0, 1, 0)).toBe("1 task under way");
  expect(said(0, 0, 0)).toBe("");
});

test("what was skipped was not done", () => {
  expect(said(0, 0, 1, 0, true, true, 2)).toBe("1 task failed (bad), 2 skipped");
});

test("what is left of a run that has ended was not done", () => {
  expect(said(0, 0, 1, 2, true)).toBe("1 task failed (bad), 2 not done");
});

test("numbers that were counted so far only say so", () => {
  expect(said(100_000, 0, 0, 0, false, false)).toBe("100,000+ tasks done");
});
