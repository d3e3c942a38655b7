import { expect, test } from "vitest";
import { readFilters } from "./filters";
import { readViews, VIEWS, withView } from "./views";

test("each view is made of filters that there are", () => {
  for (const view of VIEWS) {
    const read = readFilters(new URLSearchParams(view.query), Date.now());

    expect(read.refused).toEqual([]);
    expect(read.tokens.length).toBe(Object.keys(view.query).length);
  }
});

test("views are kept by name", () => {
  const views = withView(withView([], "mine", { status: "failed" }), "mine", { status: "parked" });

  expect(views).toEqual([{ name: "mine", query: { status: "parked" }, isOwn: true }]);
  expect(readViews(JSON.stringify(views))).toEqual(views);
});

test.each([null, "", "{", "7", '{"a":1}', "[1,null]", '[{"name":"x","query":{"a":1}}]'])(
  "%j was not kept by this page, and is no view",
  (text) => {
    expect(readViews(text)).toEqual([]);
  },
);
