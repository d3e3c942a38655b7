import { expect, test } from "vitest";
import type { PastState } from "../../../../api/schema";
import { changesIn, hadEnded, wasEmpty, whyNotKept } from "./words";

const EMPTY: PastState = { step: 3, values: {}, not_kept: [], changed: [], removed: [], is_all: true };

function said(set_at: number | null, changed_at: number | null): string {
  return whyNotKept({ key: "a", set_at, changed_at }).join("");
}

test("a key without a value says which steps have set and changed it", () => {
  expect(said(0, 4)).toBe("step 0 had set it, and step 4 has changed it: its value of then is not kept.");
  expect(said(0, null)).toBe(
    "step 0 had set it. Its value of then is not known: the journal goes on for too long.",
  );
  expect(said(null, 4)).toBe("step 4 has changed it. Whether it was there before is not known.");
  expect(said(null, null)).toBe("whether it was there then is not known: the journal is too long.");
  expect(whyNotKept({ key: "a", set_at: 0, changed_at: 4 }).filter(Number.isInteger)).toEqual([0, 4]);
});

test("what a step has set comes before what it has removed", () => {
  expect(changesIn({ ...EMPTY, changed: ["b"], removed: ["a"] })).toEqual([
    { key: "b", what: "set" },
    { key: "a", what: "removed" },
  ]);
  expect(changesIn(EMPTY)).toEqual([]);
});

test("a state is called empty only if all of it is known", () => {
  expect(wasEmpty(EMPTY)).toBe(true);
  expect(wasEmpty({ ...EMPTY, is_all: false })).toBe(false);
  expect(wasEmpty({ ...EMPTY, values: { a: null } })).toBe(false);
  expect(wasEmpty({ ...EMPTY, not_kept: [{ key: "a", set_at: 0, changed_at: 1 }] })).toBe(false);
});

test("a run had ended from its end on", () => {
  expect(hadEnded("2026-01-01T00:00:02Z", "2026-01-01T00:00:01Z")).toBe(false);
  expect(hadEnded("2026-01-01T00:00:02Z", "2026-01-01T00:00:02Z")).toBe(true);
  expect(hadEnded("2026-01-01T00:00:02Z", null)).toBe(true);
  expect(hadEnded(null, null)).toBe(false);
});
