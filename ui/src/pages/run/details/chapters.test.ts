import { expect, test } from "vitest";
import { firstSteps } from "./chapters";

test("a chapter begins where the one before it ends", () => {
  expect(firstSteps([{ steps: 3 }, { steps: 5 }, { steps: 1 }])).toEqual([0, 3, 8]);
  expect(firstSteps([])).toEqual([]);
});
