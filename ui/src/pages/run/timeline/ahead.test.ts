import { expect, test } from "vitest";
import { aheadOf } from "./ahead";

const graph = {
  nodes: ["fetch", "price", "post", "alert"].map((id) => ({ id, title: id, kind: "python" })),
  edges: [
    { source: "fetch", target: "post" },
    { source: "price", target: "post" },
    { source: "post", target: "alert" },
  ],
};

test("what has not begun says what must end first", () => {
  const ahead = aheadOf(
    graph,
    {
      fetch: { state: "success" },
      price: { state: "pending" },
      post: { state: "pending", note: "typically 9 s" },
      alert: { state: "skipped" },
    },
    new Set(["fetch", "price"]),
  );

  expect(ahead.map((each) => [each.id, each.note])).toEqual([
    ["post", "after fetch and price; typically 9 s"],
    ["alert", "was skipped"],
  ]);
});
