import { expect, test } from "vitest";
import type { AttentionItem } from "../../api/schema";
import { readFilters } from "../runs/filters";
import { conditionsOf, leadsTo, markOfKind, runsQuery, sinceText } from "./attention";

const NOW = new Date(2026, 2, 17, 8, 47, 22).getTime();
const item = (parts: Partial<AttentionItem>): AttentionItem =>
  ({
    kind: "failed",
    title: "",
    parts: [],
    count: 1,
    run: "",
    workflow: "",
    filter: "",
    fingerprint: "",
    act: "",
    ...parts,
  }) as AttentionItem;

test("the runs of a cause are listed with filters of the page of runs", () => {
  const query = runsQuery(item({ filter: "status=failed&status=parked&fingerprint=5c1f" }));

  expect(query).toEqual({ status: "failed,parked", cause: "5c1f" });
  expect(readFilters(new URLSearchParams(query), NOW).refused).toEqual([]);
});

test("an act is done to just the runs that are counted and listed", () => {
  const found = item({
    filter: "status=failed&fingerprint=5c1f&created_after=2026-03-16T08%3A47%3A00%2B00%3A00",
  });

  expect(conditionsOf(found)).toEqual({
    status: ["failed"],
    workflow: undefined,
    fingerprint: "5c1f",
    created_after: "2026-03-16T08:47:00+00:00",
  });
  expect(readFilters(new URLSearchParams(runsQuery(found)), NOW)).toEqual({
    tokens: [
      { name: "status", value: "failed" },
      { name: "cause", value: "5c1f" },
      { name: "began", value: "2026-03-16T08:47:00+00:00.." },
    ],
    refused: [],
  });
});

test.each<[Partial<AttentionItem>, string[], string]>([
  [{ kind: "failed", count: 36, filter: "status=failed" }, ["runs"], "Look at 36 runs"],
  [{ kind: "parked", run: "r-1", filter: "status=parked" }, ["runs", "r-1"], "See the difference"],
  [{ kind: "parked", count: 2, run: "r-1", filter: "status=parked" }, ["runs"], "Look at 2 runs"],
  [{ kind: "question", count: 3, run: "r-1" }, ["approvals"], "Open the inbox"],
  [{ kind: "node" }, ["fleet"], "Fleet"],
  [{ kind: "service" }, ["fleet"], "Fleet"],
  [{ kind: "schedule", count: 2 }, ["schedules"], "Schedules"],
])("%j leads to %j", (parts, path, says) => {
  const found = leadsTo(item(parts));

  expect([found.parts, found.says]).toEqual([path, says]);
});

test.each<[string, string, string]>([
  ["schedule", "name", "Look at the schedule"],
  ["service", "service", "Look at the service"],
  ["queue", "queue", "Look at the queue"],
  ["node", "node", "Look at the node"],
])("what is said of a %s leads to it", (kind, parameter, says) => {
  const parts = [{ text: "It is " }, { text: "this one", kind, ref: "this" }];
  const found = leadsTo(item({ kind: kind === "queue" ? "limit" : kind, parts } as Partial<AttentionItem>));

  expect([found.query, found.says]).toEqual([{ [parameter]: "this" }, says]);
});

test("since when is said as a span of times, or as a time", () => {
  const at = (hour: number, minute: number) => new Date(2026, 2, 17, hour, minute).toISOString();

  expect(sinceText(item({ since: at(0, 15), until: at(1, 3) }), NOW)).toBe("00:15 to 01:03");
  expect(sinceText(item({ kind: "parked", since: at(1, 27) }), NOW)).toBe("since 01:27");
  expect(sinceText(item({}), NOW)).toBe("");
});

test("a kind that this page does not know has a mark, too", () => {
  expect(markOfKind("question")).toBe("person");
  expect(markOfKind("something new")).toBe("parked");
});
