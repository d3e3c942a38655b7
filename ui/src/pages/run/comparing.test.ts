import { expect, it } from "vitest";
import type { RunInfo, TaskGroup } from "../../api/schema";
import { differenceOf, pairsOf, sentenceOf, spanOf, tookOf } from "./comparing";

function group(name: string, seconds: number | null, more: Partial<TaskGroup> = {}): TaskGroup {
  const end = seconds === null ? null : new Date(Date.UTC(2026, 2, 17) + seconds * 1000).toISOString();
  return {
    name,
    kind: "task",
    count: 1,
    began_at: "2026-03-17T00:00:00Z",
    ended_at: end,
    ...more,
  } as TaskGroup;
}

function run(id: string, status: string, seconds: number | null): RunInfo {
  const end = seconds === null ? null : new Date(Date.UTC(2026, 2, 17) + seconds * 1000).toISOString();
  return {
    id,
    status,
    created_at: "2026-03-17T00:00:00Z",
    started_at: "2026-03-17T00:00:00Z",
    finished_at: end,
  } as RunInfo;
}

it("puts tasks of the same name side by side, and keeps those of one run", () => {
  const pairs = pairsOf([group("a", 2), group("b", 1)], [group("c", 1), group("a", 5), group("b", null)]);
  expect(pairs.map((each) => [each.name, each.longer])).toEqual([
    ["a", 3],
    ["b", null],
    ["c", null],
  ]);
  expect(pairs[2]).toMatchObject({ left: null });
});

it("tells a child from a task of the same name", () => {
  expect(pairsOf([group("a", 1)], [group("a", 1, { kind: "child" })])).toHaveLength(2);
});

it("says which was slower, and where", () => {
  const pairs = pairsOf([group("a", 2), group("b", 1)], [group("a", 30), group("b", 2)]);
  const said = sentenceOf(run("one", "success", 4), run("two", "success", 40), pairs);
  expect(said.replaceAll("\u00a0", " ")).toBe("Both succeeded. two took 36 s longer, 28 s of them in a.");
});

it("names the task without a number if that is more than the whole", () => {
  const pairs = pairsOf([group("a", 2), group("b", 30)], [group("a", 30), group("b", 2)]);
  const said = sentenceOf(run("one", "success", 40), run("two", "success", 44), pairs);
  expect(said.replaceAll("\u00a0", " ")).toBe("Both succeeded. two took 4 s longer, above all in a.");
});

it("writes a difference with its sign, and none of less than a millisecond", () => {
  const written = (longer: number | null) =>
    differenceOf({ name: "a", kind: "task", left: null, right: null, longer }).replaceAll("\u00a0", " ");
  expect([28, -1.8, null].map(written)).toEqual(["+28 s", "−1.8 s", "–"]);
  expect([0.0004, -0.0004, 0, -0].map(written)).toEqual(["0 ms", "0 ms", "0 ms", "0 ms"]);
});

it("says that what only the slower run has took the time", () => {
  const pairs = pairsOf([group("a", 2), group("pack", 30)], [group("a", 1)]);
  const said = sentenceOf(run("one", "success", 40), run("two", "success", 4), pairs);
  expect(said.replaceAll("\u00a0", " ")).toBe(
    "Both succeeded. one took 36 s longer, 30 s of them in pack, which only it has. " +
      "1 name of tasks is in one of them only.",
  );
});

it("says how they ended if that differs", () => {
  expect(
    sentenceOf(run("one", "success", 4), run("two", "running", null), pairsOf([group("a", 1)], [])),
  ).toBe("one succeeded, two is running. 1 name of tasks is in one of them only.");
});

it("does not know how long something takes that has not ended", () => {
  expect(spanOf(group("a", null))).toBeNull();
  expect(spanOf(null)).toBeNull();
  expect(tookOf(run("one", "running", null))).toBeNull();
  expect(tookOf(run("one", "success", 4))).toBe(4);
});
