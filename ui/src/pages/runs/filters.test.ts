import { expect, test } from "vitest";
import { conditionsOf, without } from "./conditions";
import {
  FILTERS,
  pressState,
  queryOf,
  readFilters,
  readWord,
  Refusal,
  statesOf,
  withoutBrush,
  withToken,
  type Token,
} from "./filters";

const NOW = new Date(2026, 2, 17, 8, 47, 22).getTime();
const read = (text: string) => readFilters(new URLSearchParams(text), NOW);

test("the filters of a URL are in its order, and make the same URL", () => {
  const { tokens, refused } = read("status=failed&began=24h&workflow=a%26b");

  expect(tokens).toEqual([
    { name: "status", value: "failed" },
    { name: "began", value: "24h" },
    { name: "workflow", value: "a&b" },
  ]);
  expect(refused).toEqual([]);
  expect(new URLSearchParams(queryOf(tokens)).toString()).toBe("status=failed&began=24h&workflow=a%26b");
});

test("what the URL has beside filters is left alone", () => {
  expect(read("peek=order-1&job=j").tokens).toEqual([]);
  expect(read("peek=order-1&job=j").refused).toEqual([]);
});

test("a filter that does not exist is refused with those that do, and filters nothing", () => {
  const { tokens, refused } = read("colour=red&status=blue&took=fast&began=soon");

  expect(tokens).toEqual([]);
  expect(refused.map((each) => each.token.name)).toEqual(["colour", "status", "took", "began"]);
  expect(refused[0]?.message).toContain("There is no filter colour. Filters are status, workflow,");
  expect(refused[1]?.message).toContain("There is no state blue.");
});

test("names of the API are understood, as links from elsewhere have them", () => {
  const { tokens, refused } = read(
    "status=failed&status=parked&fingerprint=5c1f&created_after=2026-03-16T00:00:00Z&took_over=30&id_contains=7&tag=a&tag=b",
  );

  expect(refused).toEqual([]);
  expect(queryOf(tokens)).toEqual({
    status: "failed,parked",
    cause: "5c1f",
    began: "2026-03-16T00:00:00Z..",
    took: "30s..",
    id: "7",
    tag: "a,b",
  });
});

test.each<[string, Token]>([
  ["status=failed", { name: "status", value: "failed" }],
  ["failed", { name: "status", value: "failed" }],
  ["-success", { name: "status", value: "-success" }],
  ["took>30s", { name: "took", value: ">30s" }],
  ["took=1m..10m", { name: "took", value: "1m..10m" }],
  ["error~currency missing", { name: "error", value: "currency missing" }],
  ["id=order-7", { name: "id", value: "order-7" }],
  ["Workflow = fulfil", { name: "workflow", value: "fulfil" }],
  ["began=24h", { name: "began", value: "24h" }],
])("%s is understood", (typed, token) => {
  expect(readWord(typed, NOW)).toEqual(token);
});

test("a time of day is kept as the time that it means today", () => {
  const token = readWord("began=00:12..01:04", NOW) as Token;

  expect(token.value).toBe(
    `${new Date(2026, 2, 17, 0, 12).toISOString().slice(0, 16)}Z..${new Date(2026, 2, 17, 1, 4).toISOString().slice(0, 16)}Z`,
  );
});

test.each([
  ["colour=red", "There is no filter colour"],
  ["order", "order is no filter. Write a name and a value"],
  ["status=blue", "There is no state blue"],
  ["status=", "There is no state"],
  ["status", "Say which status: status=failed,parked"],
  ["took>fast", ">fast is no span"],
  ["workflow=", "A value is missing"],
  ["brush=24h", "There is no filter brush"],
])("%s is refused, with what is allowed", (typed, message) => {
  const refusal = readWord(typed, NOW);

  expect(refusal).toBeInstanceOf(Refusal);
  expect((refusal as Refusal).message).toContain(message);
});

test("each filter takes its own examples", () => {
  for (const filter of FILTERS)
    for (const example of filter.example.split(" · "))
      expect([filter.name, filter.refuse(example, NOW)]).toEqual([filter.name, null]);
});

test("states may be taken away from all, or from those that are named", () => {
  expect(statesOf("-success,-cancelled")).toEqual(["pending", "running", "failed", "paused", "parked"]);
  expect(statesOf("failed,parked,-parked")).toEqual(["failed"]);
});

test("a count chooses its state alone, and again lets go; with more it is one of several", () => {
  expect(pressState("", "failed", false)).toBe("failed");
  expect(pressState("failed", "failed", false)).toBe("");
  expect(pressState("failed,parked", "failed", false)).toBe("failed");
  expect(pressState("failed", "parked", true)).toBe("failed,parked");
  expect(pressState("failed,parked", "parked", true)).toBe("failed");
});

test("a new filter takes the place of its like, and tags come together", () => {
  const tokens = [
    { name: "status", value: "failed" },
    { name: "tag", value: "a" },
  ];

  expect(withToken(tokens, { name: "status", value: "parked" })[0]?.value).toBe("parked");
  expect(withToken(tokens, { name: "tag", value: "b" })[1]?.value).toBe("a,b");
});

test("filters become conditions of the API, and the narrower of two counts", () => {
  const iso = (hoursAgo: number) => new Date(NOW - hoursAgo * 3_600_000).toISOString();
  const { tokens } = read(
    `status=-success&began=24h&brush=${iso(30)}..${iso(2)},1s..30s&took=>5s&ended=..1h&error=x&cause=f&tag=a,b`,
  );

  expect(conditionsOf(tokens, NOW)).toEqual({
    status: ["pending", "running", "failed", "cancelled", "paused", "parked"],
    created_after: iso(24),
    created_before: iso(2),
    ended_before: iso(1),
    took_over: 5,
    took_under: 30,
    error_contains: "x",
    fingerprint: "f",
    tag: ["a", "b"],
  });
  expect(conditionsOf(without(tokens, "status", "brush", "took", "ended"), NOW)).toEqual({
    created_after: iso(24),
    error_contains: "x",
    fingerprint: "f",
    tag: ["a", "b"],
  });
});

test("the brush turns into filters, which take the place of their likes", () => {
  const span = "2026-03-16T23:12Z..2026-03-17T00:04Z";
  const turned = (text: string) => queryOf(withoutBrush(read(text).tokens, NOW));

  expect(turned(`status=failed&began=24h&brush=${span},1.5s..30s`)).toEqual({
    status: "failed",
    began: span,
    took: "1.5s..30s",
  });
  expect(turned(`took=>1s&brush=${span}`)).toEqual({ took: ">1s", began: span });
  expect(turned("status=failed")).toEqual({ status: "failed" });
});
