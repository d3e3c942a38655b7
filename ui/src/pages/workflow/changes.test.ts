import { describe, expect, it } from "vitest";
import type { WorkflowChange } from "../../api/schema";
import { differencesOf, placeOf, sentenceOf, stepsOf, withGhosts } from "./changes";

const change = (path: string, before: unknown, after: unknown): WorkflowChange => ({
  path,
  kind: before === null ? "added" : after === null ? "removed" : "changed",
  before,
  after,
});
const said = (path: string, before: unknown, after: unknown) =>
  sentenceOf(change(path, before, after))
    .words.map((each) => each.text)
    .join("");

it("reads paths with keys of any characters", () => {
  expect(stepsOf('$.nodes["a b.c[0]\\""].cases[12].expr')).toEqual([
    "nodes",
    'a b.c[0]"',
    "cases",
    12,
    "expr",
  ]);
  expect(stepsOf("$")).toEqual([]);
});

it("finds the node of a path, also inside of subflows", () => {
  expect(placeOf("$.nodes.shop.subflow.nodes.pay.max_retries")).toEqual({
    node: "shop/pay",
    rest: ["max_retries"],
    isEdge: false,
  });
  expect(placeOf("$.nodes.shop.subflow.edges.pay.ok")).toMatchObject({ node: "shop/pay", isEdge: true });
  expect(placeOf("$.description")).toMatchObject({ node: "", rest: ["description"] });
});

describe("sentenceOf", () => {
  it.each([
    ["$.nodes.pay.max_retries", 3, 5, "pay: max retries is 5 instead of 3."],
    ["$.nodes.pay.params.delay_ms", 300, 5_000, "pay: delay is 5\u00a0s instead of 300\u00a0ms."],
    ["$.tasks.load.retries.max_attempts", null, 5, "load: max attempts of retries is new: 5."],
    ["$.tasks.load.timeout", 60, null, "load: timeout is gone; it was 1\u00a0min."],
    [
      "$.tasks.check",
      null,
      { depends_on: ["a", "b"], command: "true" },
      "check is new: command true, after a, b.",
    ],
    ["$.nodes.old", { kind: "timer" }, null, "old is gone."],
    ["$.edges.check.small", "pay", "screen", "From check, small leads to screen instead of pay."],
    ["$.edges.screen.default", null, "pay", "From screen, it leads to pay."],
    ["$.edges.ask.error", "sorry", null, "From ask, error no longer leads to sorry."],
    ["$.schedule.cron", "0 2 * * *", "0 3 * * *", "Cron of schedule is 0 3 * * * instead of 0 2 * * *."],
  ])("says what %s means", (path, before, after, sentence) => {
    expect(said(path, before, after)).toBe(sentence);
  });

  it("keeps the path and the mark, and cuts long values", () => {
    const sentence = sentenceOf(change("$.tasks.a.command", "x".repeat(500), "y"));
    expect(sentence).toMatchObject({ mark: "~", path: "$.tasks.a.command" });
    expect(sentence.words.map((each) => each.text).join("").length).toBeLessThan(120);
  });
});

it("marks what is new, changed and gone, and not the neighbours of a changed edge", () => {
  const changes = [
    change("$.nodes.screen", null, {}),
    change("$.nodes.pay.wait_ms", 1, 2),
    change("$.nodes.old", {}, null),
    change("$.edges.check.small", "pay", "screen"),
  ];
  expect(differencesOf(changes)).toEqual({ screen: "new", pay: "changed", old: "gone" });
});

it("puts nodes that are gone below the graph, beside each other", () => {
  const node = (id: string) => ({ id, title: id, kind: "timer" });
  const box = (id: string, x: number) => ({ id, x, y: 0, width: 100, height: 40 });
  const graph = (ids: string[], layout: ReturnType<typeof box>[]) => ({
    graph: { nodes: ids.map(node), edges: [] },
    layout: { width: 300, height: 40, nodes: layout, edges: [] },
  });
  const before = graph(["a", "b", "c"], [box("a", 0), box("b", 150), box("c", 160)]);
  const now = graph(["a"], [box("a", 0)]);

  const merged = withGhosts(now, before, { b: "gone", c: "gone" });

  expect(merged.graph.nodes.map((each) => each.id)).toEqual(["a", "b", "c"]);
  expect(merged.layout.nodes.slice(1)).toMatchObject([
    { id: "b", x: 150, y: 80 },
    { id: "c", x: 290, y: 80 },
  ]);
  expect(merged.layout).toMatchObject({ width: 390, height: 120 });
  expect(withGhosts(now, before, {})).toBe(now);
});
