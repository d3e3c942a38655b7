import { expect, it } from "vitest";
import { readDiff } from "./text_diff";

const DIFF = `--- nightly 1
+++ nightly 2
@@ -4,3 +4,4 @@
 a
-b
+B
+c
@@ -20 +21 @@
--- not a name
+++ not a name either
`;

it("numbers the lines of both texts", () => {
  const { lines, left } = readDiff(DIFF, 100);
  expect(left).toBe(0);
  expect(lines.map((line) => [line.kind, line.before, line.after, line.text])).toEqual([
    ["gap", null, null, ""],
    ["same", 4, 4, "a"],
    ["removed", 5, null, "b"],
    ["added", null, 5, "B"],
    ["added", null, 6, "c"],
    ["gap", null, null, ""],
    ["removed", 20, null, "-- not a name"],
    ["added", null, 21, "++ not a name either"],
  ]);
});

it("has no gap before a diff that begins with the first line, and says what it left out", () => {
  const { lines, left } = readDiff("--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n", 2);
  expect(lines.map((line) => line.kind)).toEqual(["same", "removed"]);
  expect(left).toBe(1);
});

it("takes an empty diff for no lines", () => {
  expect(readDiff("", 10)).toEqual({ lines: [], left: 0 });
});
