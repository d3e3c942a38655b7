import { describe, expect, it } from "vitest";
import { found, straightTo, withLate, type Entry } from "./entries";
import { match, partsOf } from "./match";

function entry(group: string, title: string, more: Partial<Entry> = {}): Entry {
  return { id: `${group} ${title}`, group, title, go: () => {}, ...more };
}

describe("match", () => {
  it("wants each word, anywhere", () => {
    expect(match("nightly_settlement", "settle")?.marks).toEqual([[8, 14]]);
    expect(match("Start nightly_settlement", "night start")?.marks).toEqual([
      [0, 5],
      [6, 11],
    ]);
    expect(match("nightly", "day")).toBeNull();
    expect(match("anything", "  ")).toEqual({ score: 0, marks: [] });
  });

  it("takes the begin of a word for better than its middle", () => {
    const score = (text: string) => match(text, "set")?.score ?? 0;
    expect(score("settle")).toBeGreaterThan(score("nightly_settle"));
    expect(score("nightly_settle")).toBeGreaterThan(score("unsettled"));
    expect(match("unsettled settle", "settle")?.marks).toEqual([[10, 16]]);
  });

  it("cuts the text at its marks", () => {
    expect(partsOf("unsettled", [[2, 8]])).toEqual([
      { text: "un", isMarked: false },
      { text: "settle", isMarked: true },
      { text: "d", isMarked: false },
    ]);
    expect(partsOf("x", [])).toEqual([{ text: "x", isMarked: false }]);
  });
});

describe("found", () => {
  const all = [
    entry("Pages", "Settings"),
    entry("Workflows", "unsettled_report"),
    entry("Workflows", "settlement"),
    entry("Runs", "nightly@03-17", { note: "settlement", more: "01a1ef74-dbcf" }),
  ];

  it("lists runs first, and the best of each group first", () => {
    expect(found(all, "sett").map((each) => each.title)).toEqual([
      "nightly@03-17",
      "settlement",
      "unsettled_report",
      "Settings",
    ]);
  });

  it("finds a run by its key, and lists a few of each group", () => {
    expect(found(all, "01a1ef")[0]?.title).toBe("nightly@03-17");
    const many = Array.from({ length: 50 }, (_, index) => entry("Runs", `run ${index}`));
    expect(found(many, "run")).toHaveLength(6);
  });

  it("answers from memory in less than 50 ms", () => {
    const many = Array.from({ length: 5_000 }, (_, index) => entry("Workflows", `workflow_${index}`));
    const begin = performance.now();
    found(many, "workflow 49");
    expect(performance.now() - begin).toBeLessThan(500);
  });
});

it("puts late answers below, and none twice", () => {
  const shown = found([entry("Do", "Retry"), entry("Runs", "order-1")], "");
  const late = found([entry("Runs", "order-1"), entry("Runs", "order-2")], "");
  expect(withLate(shown, late).map((each) => each.title)).toEqual(["order-1", "Retry", "order-2"]);
});

describe("straightTo", () => {
  const runs = [
    entry("Runs", "order-88213", { more: "01a1ef74-dbcf" }),
    entry("Runs", "order-88214", { more: "01a1ff00-0000" }),
    entry("Workflows", "order-881"),
  ];

  it("goes to the one run that six characters name", () => {
    expect(straightTo(runs, "01a1ef")?.title).toBe("order-88213");
    expect(straightTo(runs, "order-88214")?.title).toBe("order-88214");
  });

  it("goes nowhere if it is too short, or fits two", () => {
    expect(straightTo(runs, "01a1e")).toBeNull();
    expect(straightTo(runs, "order-882")).toBeNull();
    expect(straightTo(runs, "order 88213")).toBeNull();
  });

  it("takes a whole id for more than its begin", () => {
    expect(straightTo([...runs, entry("Runs", "order-882130")], "order-88213")?.title).toBe("order-88213");
  });
});
