import { expect, test } from "vitest";
import type { AttemptInfo, TaskGroup, TaskInfo } from "../../../api/schema";
import { barsOf, MOST_BARS, rowsOf, stateOf, triedAgain, workOf } from "./rows";

const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000).toISOString();
const ms = (seconds: number) => 1_700_000_000_000 + seconds * 1000;
const none = { pending: 0, dispatched: 0, running: 0, success: 0, failed: 0, skipped: 0, cancelled: 0 };

function task(facts: Partial<TaskInfo>): TaskInfo {
  return {
    seq: 0,
    name: "charge",
    index: null,
    count: null,
    status: "success",
    attempt: 1,
    lost: 0,
    problem: null,
    retry_at: null,
    created_at: at(0),
    started_at: at(1),
    finished_at: at(3),
    progress: null,
    ...facts,
  };
}
function attempt(facts: Partial<AttemptInfo>): AttemptInfo {
  return {
    seq: 0,
    attempt: 1,
    status: "failed",
    problem: "OSError: no",
    traceback: null,
    node: "n",
    started_at: at(0),
    finished_at: at(2),
    worker: "",
    ...facts,
  };
}
function group(facts: Partial<TaskGroup>): TaskGroup {
  return {
    name: "charge",
    kind: "task",
    first_seq: 0,
    last_seq: 0,
    count: 1,
    states: { ...none, success: 1 },
    retried: 0,
    lost: 0,
    asked_at: at(0),
    began_at: at(1),
    ended_at: at(3),
    slowest_seq: 0,
    slowest_took: 2,
    median_took: 2,
    ...facts,
  };
}
const brief = (bars: ReturnType<typeof barsOf>) =>
  bars.map((bar) => [bar.look, (bar.from - ms(0)) / 1000, (bar.to - ms(0)) / 1000]);

test("a task that waited and worked has two bars", () => {
  expect(brief(barsOf(task({}), [], ms(9)))).toEqual([
    ["wait", 0, 1],
    ["done", 1, 3],
  ]);
});

test("attempts stand end to end with the backoff between them", () => {
  const bars = barsOf(task({ attempt: 2, started_at: at(5), finished_at: at(6) }), [attempt({})], ms(9));

  expect(brief(bars)).toEqual([
    ["bad", 0, 2],
    ["wait", 2, 5],
    ["done", 5, 6],
  ]);
});

test("the last attempt of a failed task is drawn once", () => {
  const bars = barsOf(
    task({ status: "failed", started_at: at(0), finished_at: at(2) }),
    [attempt({ attempt: 1 })],
    ms(9),
  );

  expect(brief(bars)).toEqual([["bad", 0, 2]]);
});

test("a backoff leads to the next attempt, beyond now", () => {
  const bars = barsOf(
    task({ status: "pending", finished_at: null, started_at: at(0), retry_at: at(20) }),
    [attempt({ status: "lost" })],
    ms(9),
  );

  expect(brief(bars)).toEqual([
    ["lost", 0, 2],
    ["wait", 2, 20],
  ]);
});

test("what runs ends now", () => {
  expect(brief(barsOf(task({ status: "running", finished_at: null }), [], ms(9))).at(-1)).toEqual([
    "running",
    1,
    9,
  ]);
});

test("one that failed makes a group failed", () => {
  expect(stateOf({ ...none, success: 1_999, failed: 1 })).toBe("failed");
  expect(stateOf({ ...none, success: 3, running: 1 })).toBe("running");
  expect(stateOf({ ...none, success: 3 })).toBe("success");
  expect(stateOf(none)).toBe("pending");
});

test("a large group shows how many ran at once, a small one its tasks", () => {
  const large = group({ count: MOST_BARS + 1, last_seq: MOST_BARS });
  const small = group({ name: "pack", count: 2, first_seq: 40 });
  const tasks = [task({ seq: 40, name: "pack" }), task({ seq: 41, name: "pack" })];

  const rows = rowsOf({ groups: [large, small], tasks, attempts: [], now: ms(9) });

  expect(rows.map((row) => [row.isBusy, row.bars.length])).toEqual([
    [true, 0],
    [false, 4],
  ]);
});

test("a question that is open waits for a person, until now", () => {
  const [row] = rowsOf({
    groups: [group({ kind: "promise", states: { ...none, running: 1 }, ended_at: null })],
    tasks: [],
    attempts: [],
    now: ms(60),
  });

  expect(row?.waiting).toBe("promise");
  expect(brief(row?.bars ?? [])).toEqual([["person", 0, 60]]);
});

test("waits are no work", () => {
  const groups = [group({}), group({ kind: "promise", name: "ask" })];
  const rows = rowsOf({ groups, tasks: [], attempts: [], now: ms(9) });

  expect(workOf(rows, groups, ms(9))).toEqual([{ from: ms(1), to: ms(3) }]);
});

test("attempts are asked for where they are drawn", () => {
  const groups = [group({ retried: 1, first_seq: 7 }), group({ name: "many", count: 500, retried: 9 })];

  expect(triedAgain(groups, [])).toEqual([7]);
  expect(triedAgain(groups, [task({ seq: 3, attempt: 2 }), task({ seq: 4 })])).toEqual([3]);
});

test("tasks of one name that overlap lie below each other, and those after each other in one lane", () => {
  const tasks = [
    task({ seq: 0, created_at: at(0), started_at: at(0), finished_at: at(4) }),
    task({ seq: 1, created_at: at(0), started_at: at(0), finished_at: at(2) }),
    task({ seq: 2, created_at: at(2), started_at: at(2), finished_at: at(3) }),
  ];

  const [row] = rowsOf({
    groups: [group({ count: 3, last_seq: 2, states: { ...none, success: 3 } })],
    tasks,
    attempts: [],
    now: ms(9),
  });

  expect(row?.lanes).toBe(2);
  expect(row?.bars.map((bar) => [bar.seq, bar.lane])).toEqual([
    [0, 0],
    [1, 1],
    [2, 1],
  ]);
});
