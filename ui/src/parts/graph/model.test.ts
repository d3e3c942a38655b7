import { expect, test } from "vitest";
import { fitting, isStacked, neighbour, outline, pathOf, shapeOf } from "./model";

const place = (id: string, x: number, y: number) => ({ id, x, y, width: 100, height: 60 });

test("each kind of node has its shape", () => {
  const shape = (kind: string) => shapeOf({ id: "a", title: "a", kind });

  expect(["shell", "approval", "choice", "workflow", "subflow"].map(shape)).toEqual([
    "work",
    "person",
    "choice",
    "child",
    "child",
  ]);
  expect(shapeOf({ id: "a", title: "a", kind: "subflow" }, true)).toBe("box");
});

test("a fan-out is a stack, also before it is known how many there are", () => {
  const node = { id: "a", title: "a", kind: "python" };

  expect(isStacked(node, undefined)).toBe(false);
  expect(isStacked({ ...node, is_repeated: true }, undefined)).toBe(true);
  expect(isStacked(node, { state: "running", count: 2 })).toBe(true);
  expect(isStacked(node, { state: "running", count: 1 })).toBe(false);
});

test("corners of an edge are round, and never rounder than the edge is long", () => {
  expect(
    pathOf([
      [0, 0],
      [20, 0],
      [20, 100],
    ]),
  ).toBe("M0 0L12 0Q20 0 20 8L20 100");
  expect(
    pathOf([
      [0, 0],
      [4, 0],
      [4, 100],
    ]),
  ).toBe("M0 0L2 0Q4 0 4 8L4 100");
  expect(pathOf([])).toBe("");
});

test("an outline stays in its box", () => {
  const numbers = outline("choice", 120, 60).match(/-?[\d.]+/g) ?? [];

  expect(Math.max(...numbers.map(Number))).toBe(120);
  expect(Math.min(...numbers.map(Number))).toBe(0);
});

test("text that does not fit is cut by whole characters", () => {
  expect(fitting("fetch", 50, 7)).toBe("fetch");
  expect(fitting("fetch_orders", 49, 7)).toBe("fetch_…");
  expect(fitting("🦀🦀🦀", 14, 7)).toBe("🦀…");
});

test("arrow keys lead to the nearest node in their direction", () => {
  const nodes = [place("a", 0, 50), place("b", 200, 0), place("c", 200, 100), place("d", 400, 50)];

  expect(neighbour(nodes, "b", "ArrowDown")).toBe("c");
  expect(neighbour(nodes, "a", "ArrowRight")).toBe("b");
  expect(neighbour(nodes, "d", "ArrowLeft")).toBe("b");
  expect(neighbour(nodes, "d", "ArrowRight")).toBe(null);
});
