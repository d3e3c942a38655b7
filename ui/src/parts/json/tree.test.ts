import { describe, expect, it } from "vitest";
import { parseJson } from "../../api/json";
import type { Json } from "../forms/schema";
import {
  closeAll,
  copied,
  LONG,
  open,
  openAll,
  pathOf,
  pieces,
  preview,
  reveal,
  rowsOf,
  search,
  treeOf,
} from "./tree";

const VALUE: Json = { a: [1, null, true], "odd name": { text: "x" }, empty: [] };

describe("treeOf", () => {
  it("opens what a screen has room for", () => {
    expect(rowsOf(treeOf(VALUE)).map(pathOf)).toEqual([
      "$",
      "$.a",
      "$.a[0]",
      "$.a[1]",
      "$.a[2]",
      '$["odd name"]',
      '$["odd name"].text',
      "$.empty",
    ]);
  });

  it("leaves what is large folded below the root", () => {
    const root = treeOf({ many: Array(1_000).fill({ a: 1 }) as Json, few: [1] });
    expect(rowsOf(root).map(pathOf)).toEqual(["$", "$.many", "$.few", "$.few[0]"]);
  });

  it("opens and folds 100,000 nodes in little time", () => {
    const value = Array.from({ length: 25_000 }, (_, id) => ({ id, name: `row ${id}`, on: true }));
    const begin = performance.now();
    const root = treeOf(value);
    openAll(root);
    expect(rowsOf(root)).toHaveLength(100_001);
    closeAll(root);
    expect(rowsOf(root)).toHaveLength(25_001);
    expect(performance.now() - begin).toBeLessThan(3_000);
  });

  it("goes as deep as the value", () => {
    let deep: Json = 1;
    for (let depth = 0; depth < 20_000; depth++) deep = [deep];
    const root = treeOf(deep);
    openAll(root);
    expect(rowsOf(root).length).toBeGreaterThan(20_000);
    expect(search(deep, "1").hits).toHaveLength(1);
  });
});

describe("texts", () => {
  it("are shown in pieces that are the whole together", () => {
    const text = "ab😀".repeat(100_000);
    expect(pieces(text).join("")).toBe(text);
    expect(pieces(text).every((each) => each.isWellFormed())).toBe(true);
    const root = treeOf({ text });
    open(root.children![0]!);
    expect(rowsOf(root)).toHaveLength(2 + pieces(text).length);
    expect(pathOf(rowsOf(root)[5]!)).toBe("$.text");
  });

  it("are copied without quotes, other values as JSON", () => {
    const [root, list] = rowsOf(treeOf({ a: [1] }));
    expect(copied(list!)).toBe("[\n  1\n]");
    expect(copied(root!)).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(copied(treeOf('say "x"'))).toBe('say "x"');
  });
});

describe("search", () => {
  it("finds names, texts, numbers and null, in order", () => {
    expect(search(VALUE, "NAME").hits).toEqual([["odd name"]]);
    expect(search(VALUE, "x").hits).toEqual([["odd name", "text"]]);
    expect(search(VALUE, "nul").hits).toEqual([["a", 1]]);
    expect(search({ b: "x", a: "x" }, "x").hits).toEqual([["b"], ["a"]]);
    expect(search(VALUE, "").hits).toEqual([]);
  });

  it("stops after a thousand, and says so", () => {
    expect(search(Array(5_000).fill("x") as Json, "x")).toMatchObject({ isAll: false });
    expect(search(Array(5_000).fill("x") as Json, "x").hits).toHaveLength(1_000);
  });

  it("opens what is above a hit", () => {
    const value = { deep: Array.from({ length: 500 }, (_, id) => ({ id })) };
    const root = treeOf(value);
    const found = reveal(root, search(value, "444").hits[0]!, "444");
    expect(pathOf(found)).toBe("$.deep[444].id");
    expect(rowsOf(root)).toContain(found);
  });

  it("opens the piece of a long text that has it", () => {
    const text = `${"-".repeat(9_000)}needle`;
    const root = treeOf([text]);
    const found = reveal(root, [0], "needle");
    expect(found.kind).toBe("piece");
    expect(found.value).toContain("needle");
    expect(reveal(treeOf(["needle" + "-".repeat(LONG)]), [0], "needle").kind).toBe("text");
  });
});

it("tells the beginning of what is folded", () => {
  expect(preview({ id: 3, name: "row", tags: [1], more: {} })).toBe(
    'id: 3, name: "row", tags: […], more: {…}',
  );
  expect(preview(Array(1_000).fill("abcdef") as Json).length).toBeLessThan(100);
  expect(preview(["x".repeat(500)])).toBe(`"${"x".repeat(30)}…"`);
});

describe("large whole numbers", () => {
  it("are shown, found and copied digit by digit", () => {
    const value = parseJson('{"id":9007199254740993}') as Json;
    const root = treeOf(value);

    expect(preview(value)).toBe("id: 9007199254740993");
    expect(root.children?.[0]?.kind).toBe("number");
    expect(search(value, "740993").hits).toEqual([["id"]]);
    expect(copied(root)).toBe('{\n  "id": 9007199254740993\n}');
  });
});
