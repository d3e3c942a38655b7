import { expect, test } from "vitest";
import { sentenceOf } from "./sentence";

const NOW = Date.parse("2026-03-17T08:00:00Z");

test("a sentence begins with a capital and ends with a full stop", () => {
  expect(sentenceOf("it ended with success", new Set(), NOW)).toBe("It ended with success.");
  expect(sentenceOf("who answers?", new Set(), NOW)).toBe("Who answers?");
  expect(sentenceOf("", new Set(), NOW)).toBe("");
});

test("names keep their case", () => {
  expect(sentenceOf("charge waits for a slot", new Set(["charge"]), NOW)).toBe("charge waits for a slot.");
  expect(sentenceOf("approve_totals waits", new Set(), NOW)).toBe("approve_totals waits.");
});

test("times are short", () => {
  expect(sentenceOf("it sleeps until 2026-03-17T08:01:02+00:00", new Set(), NOW)).not.toContain("2026");
});
