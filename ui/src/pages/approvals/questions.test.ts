import { expect, test } from "vitest";
import type { QuestionInfo } from "../../api/schema";
import { answerKind, factsOf, givesUpAt, mayAnswer, merge, nextOpen, questionId } from "./questions";

function asked(key: string, number = 0): QuestionInfo {
  return {
    run: key,
    key,
    workflow: "refund",
    number,
    name: "ask",
    title: "Refund?",
    facts: null,
    schema: { type: "boolean" },
    by: null,
    asked_at: "2026-03-17T08:00:00.123456Z",
  };
}

test.each([
  [null, "any"],
  [true, "any"],
  [{ type: "boolean" }, "yesno"],
  [{ $ref: "#/$defs/Sure", $defs: { Sure: { type: "boolean" } } }, "yesno"],
  [{ type: "boolean", enum: [true] }, "form"],
  [{ enum: ["a", "b"] }, "form"],
  [false, "form"],
])("a question with the schema %o is answered as %s", (schema, kind) => {
  expect(answerKind(schema)).toBe(kind);
});

test("only those who are named may answer", () => {
  expect(mayAnswer({ by: null }, "eve")).toBe(true);
  expect(mayAnswer({ by: ["ann"] }, "ann")).toBe(true);
  expect(mayAnswer({ by: ["ann"] }, "eve")).toBe(false);
});

test("facts are names and texts, and nested ones are read", () => {
  const { facts } = factsOf({
    order: "88140",
    cents: 418000,
    customer: { name: "Lindqvist AB", since: 2023 },
    tags: ["late", "eu"],
    deep: { a: { b: 1 } },
    nothing: null,
  });

  expect(facts.map((each) => each.text)).toEqual([
    "88140",
    "418000",
    "name Lindqvist AB, since 2023",
    "late, eu",
    '{"a":{"b":1}}',
    "null",
  ]);
  expect(factsOf(null).facts).toEqual([]);
  expect(factsOf("just text").facts).toEqual([{ name: "", text: "just text", left: 0 }]);
});

test("facts are bounded in number and length, and directional marks are shown", () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, index]));
  const long = factsOf({ x: "\u202e".repeat(1_000_000) });

  expect(factsOf(many).left).toBe(28);
  expect(long.facts[0]?.left).toBe(999_400);
  expect(long.facts[0]?.text.startsWith("\\u202e")).toBe(true);
});

test("a reload moves nothing: what is gone stays in its place, what is new comes last", () => {
  const before = merge([], [asked("a"), asked("b"), asked("c")]);

  const after = merge(before, [asked("d"), asked("c"), asked("a")]);

  expect(after.map((each) => [each.question.key, each.isGone])).toEqual([
    ["a", false],
    ["b", true],
    ["c", false],
    ["d", false],
  ]);
});

test("a question that is open again is open again", () => {
  const gone = merge(merge([], [asked("a")]), []);

  expect(merge(gone, [asked("a")])[0]?.isGone).toBe(false);
});

test("after an answer comes the next that is open, and then the first", () => {
  const list = merge(merge([], [asked("a"), asked("b"), asked("c")]), [asked("a"), asked("c")]);

  expect(nextOpen(list, questionId(asked("a")))?.question.key).toBe("c");
  expect(nextOpen(list, questionId(asked("c")))?.question.key).toBe("a");
  expect(nextOpen(merge([], [asked("a")]), questionId(asked("a")))).toBeNull();
});

test("when it gives up is the timer that was set with the question", () => {
  const timers = [
    { kind: "timer", name: "x", since: "2026-03-17T07:00:00Z", until: "2026-03-17T09:00:00Z" },
    { kind: "timer", name: "y", since: "2026-03-17T08:00:00.123456Z", until: "2026-03-20T08:00:00Z" },
    { kind: "promise", name: "ask", since: "2026-03-17T08:00:00.123456Z", until: null },
  ];

  expect(givesUpAt(asked("a"), timers)).toBe("2026-03-20T08:00:00Z");
  expect(givesUpAt(asked("a"), timers.slice(0, 1))).toBeNull();
  expect(givesUpAt(asked("a"), [{ kind: "approval", name: "ask", until: "2026-03-18T00:00:00Z" }])).toBe(
    "2026-03-18T00:00:00Z",
  );
});
