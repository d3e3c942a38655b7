import { expect, test } from "vitest";
import type { LogEntry } from "../../../api/schema";
import { LastLines } from "./last";

const { signal } = new AbortController();

/** A log that gives two lines a page, and counts how often it was asked. */
function log(size: number) {
  const state = { size, asked: 0 };
  const read = async (after: string | null): Promise<LogEntry[]> => {
    state.asked += 1;
    const from = after === null ? 0 : Number(after) + 1;
    const to = Math.min(state.size, from + 2);
    return Array.from({ length: Math.max(0, to - from) }, (_, index) => ({
      at: "2026-03-17T02:00:04Z",
      task: "price",
      index: null,
      attempt: 1,
      stream: "stdout",
      text: `line ${from + index}`,
      offset: String(from + index),
    }));
  };
  return { state, read };
}

test("the newest lines are kept, and later only what is new is read", async () => {
  const { state, read } = log(7);
  const last = new LastLines(read, 3, 10);

  await last.advance(signal);
  const first = state.asked;
  state.size = 8;
  await last.advance(signal);

  expect(last.lines.map((each) => each.text)).toEqual(["line 5", "line 6", "line 7"]);
  expect([last.count, last.isBehind]).toEqual([8, false]);
  expect(state.asked - first).toBe(2);
});

test("a log that is too long is read in part, which is said", async () => {
  const { state, read } = log(1_000_000);
  const last = new LastLines(read, 3, 4);

  await last.advance(signal);

  expect([last.count, last.isBehind, state.asked]).toEqual([8, true, 4]);
});
