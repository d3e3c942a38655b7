import { describe, expect, it } from "vitest";
import type { JournalStep } from "../../../../api/schema";
import { isFold, rowOf, rowsOf } from "./rows";
import { wordsOf, type Entry, type Names } from "./words";

const names: Names = {
  task: (seq) => (seq >= 2 && seq <= 2001 ? "price" : seq === 0 ? "fetch" : ""),
  message: (id) => (id === "m1" ? "signal paid" : ""),
};

function step(position: number, events: Entry[], requests: Entry[] = []): JournalStep {
  return { position, at: `2026-03-17T02:00:0${position % 10}Z`, events, requests };
}
const ended = (seq: number): Entry => ({ kind: "task_ended", seq });
const asked = (seq: number, name: string): Entry => ({ kind: "schedule_task", seq, name });
const text = (entries: Entry[]) =>
  wordsOf(entries, names)
    .map((each) => each.text)
    .join(", ");

describe("wordsOf", () => {
  it.each<[Entry[], string]>([
    [[ended(0)], "task 0 fetch ended"],
    [[asked(2, "price"), asked(3, "price"), asked(4, "other")], "tasks 2 – 3 price, task 4 other"],
    [[asked(2, "price"), asked(4, "price")], "task 2 price, task 4 price"],
    [[{ kind: "child_ended", seq: 0, has_failed: true }], "child 0 failed"],
    [[{ kind: "timer_fired", seq: 3 }], "timer 3 fired"],
    [[{ kind: "message_received", message: "m1" }], "signal paid"],
    [[{ kind: "message_received", message: "m2" }], "a message"],
    [[{ kind: "set_state", key: "phase" }], "state phase"],
    [[{ kind: "ask_question", seq: 0, name: "refund" }], "question refund"],
    [[{ kind: "expect_message", waits_for: "signal", name: "paid" }], "signal paid"],
    [[{ kind: "end_run", status: "success" }], "the end: success"],
    [[{ kind: "some_new_thing", name: "x" }], "some new thing x"],
  ])("says %j as %s", (entries, words) => {
    expect(text(entries)).toBe(words);
  });

  it("leads to the task, and stops after a few", () => {
    expect(wordsOf([ended(0)], names)[0]).toEqual({ text: "task 0 fetch ended", task: 0 });
    const many = Array.from({ length: 40 }, (_, index) => ended(index * 2));
    expect(wordsOf(many, names)).toHaveLength(9);
    expect(text(many)).toMatch(/and 32 more$/);
  });

  it("takes 100,000 requests of one step in little time", () => {
    const many = Array.from({ length: 100_000 }, (_, seq) => asked(seq, "price"));
    const begin = performance.now();
    expect(text(many)).toBe("tasks 0 – 99,999 price");
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

describe("rowsOf", () => {
  const steps = [
    step(0, [], [asked(0, "fetch")]),
    step(1, [ended(0)], [asked(2, "price")]),
    ...Array.from({ length: 5 }, (_, index) => step(2 + index, [ended(2 + index)])),
    step(7, [ended(7)], [{ kind: "end_run", status: "success" }]),
  ];

  it("folds steps that are alike", () => {
    const rows = rowsOf(steps, names, new Set());
    expect(rows.map((each) => [each.first, each.last])).toEqual([
      [0, 0],
      [1, 1],
      [2, 6],
      [7, 7],
    ]);
    expect(rows[0]!.heard).toEqual([{ text: "began" }]);
    expect(rows[2]!.heard[0]!.text).toBe("tasks 2 – 6 price ended");
    expect(rows.map(isFold)).toEqual([false, false, true, false]);
  });

  it("shows what is inside of a fold that is open", () => {
    const rows = rowsOf(steps, names, new Set([2]));
    expect(rows).toHaveLength(9);
    expect(rows[3]).toMatchObject({ first: 2, last: 2, isInside: true });
  });

  it("does not fold two, and no change of the state", () => {
    expect(rowsOf([step(0, [ended(2)]), step(1, [ended(3)])], names, new Set())).toHaveLength(2);
    const asking = [0, 1, 2, 3].map((each) => step(each, [ended(each)], [{ kind: "set_state", key: "x" }]));
    expect(rowsOf(asking, names, new Set())).toHaveLength(4);
  });

  it("folds a loop, with what it asked for", () => {
    const loop = [2, 3, 4, 5].map((each) => step(each, [ended(each)], [asked(each + 1, "price")]));
    const rows = rowsOf(loop, names, new Set());
    expect(rows).toHaveLength(1);
    expect(rows[0]!.heard).toEqual([{ text: "tasks 2 – 5 price ended", task: 2 }]);
    expect(rows[0]!.asked).toEqual([{ text: "tasks 3 – 6 price", task: 3 }]);
  });

  it("says of a fold that it is not of all numbers", () => {
    const some = [2, 4, 6].map((each, position) => step(position, [ended(each)]));
    expect(rowsOf(some, names, new Set())[0]!.heard[0]!.text).toBe("3 of tasks 2 – 6 price ended");
  });

  it("folds the ticks of a timer and messages", () => {
    const ticks = [0, 1, 2].map((seq) =>
      step(
        seq,
        [{ kind: "timer_fired", seq }],
        [{ kind: "start_timer", seq: seq + 1, due: "2026-03-17T02:00:00Z" }],
      ),
    );
    expect(rowsOf(ticks, names, new Set())[0]).toMatchObject({
      heard: [{ text: "timers 0 – 2 fired" }],
      asked: [{ text: "timers 1 – 3" }],
    });
    const heard = [0, 1, 2].map((each) => step(each, [{ kind: "message_received", message: "m1" }]));
    expect(rowsOf(heard, names, new Set())[0]!.heard).toEqual([{ text: "3 messages" }]);
  });

  it("finds the row of a position", () => {
    const folded = rowsOf(steps, names, new Set());
    expect(rowOf(folded, 4)).toBe(2);
    expect(rowOf(folded, 7)).toBe(3);
    expect(rowOf(folded, 99)).toBe(-1);
    expect(rowOf(rowsOf(steps, names, new Set([2])), 4)).toBe(5);
  });

  it("says why a step cannot be read", () => {
    const broken = { ...step(0, []), at: null, problem: "not MessagePack" };
    expect(rowsOf([broken], names, new Set())[0]!.problem).toBe("not MessagePack");
  });
});
