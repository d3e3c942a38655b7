import { expect, it } from "vitest";
import { behindNewest } from "./places";

it.each([
  [0, 31, 200, null],
  [0, 1_000, 200, 799],
  [900, 1_000, 200, 899],
  [0, 0, 200, null],
])("reads a stream from %s to %s, %s items, behind %s", (first, end, size, after) => {
  expect(behindNewest(first, end, size)).toBe(after);
});
