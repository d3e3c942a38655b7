import { expect, test } from "vitest";
import { bodyOf, emptyForm, formOf, spanText, wrongIn } from "./alerts";

const RULE = {
  name: "ops",
  url: "https://hooks.example/x",
  on: ["late", "failed"],
  workflow: "fulfil",
  tags: ["shop", "eu"],
  late_after: 5_400,
  waiting_after: null,
  secret: "OPS_HOOK",
  at_most: 10,
  enabled: false,
  created_at: "2026-01-01T00:00:00Z",
  changed_at: "2026-01-01T00:00:00Z",
  problem: "",
};

test("a rule that is opened and saved stays as it was", () => {
  expect(bodyOf(formOf(RULE))).toEqual({
    url: RULE.url,
    on: ["failed", "late"],
    workflow: "fulfil",
    tags: ["shop", "eu"],
    late_after: 5_400,
    waiting_after: null,
    secret: "OPS_HOOK",
    at_most: 10,
    enabled: false,
  });
});

test("spans of kinds that are not chosen are not sent", () => {
  const body = bodyOf({ ...emptyForm(), lateAfter: "nonsense" });

  expect(body.late_after).toBeNull();
});

test("each wrong field is named", () => {
  const wrong = wrongIn({
    ...emptyForm(),
    url: "ftp://x",
    on: ["late", "waiting"],
    lateAfter: "2",
    waitingAfter: "",
    atMost: 0,
  });

  expect(Object.keys(wrong).sort()).toEqual(["atMost", "lateAfter", "name", "url", "waitingAfter"]);
  expect(wrongIn({ ...formOf(RULE) })).toEqual({});
  expect(wrongIn({ ...formOf(RULE), on: [] })).toHaveProperty("on");
});

test.each([
  [5_401, "5401s"],
  [5_400, "90min"],
  [7_200, "2h"],
  [172_800, "2d"],
])("%d s is written %s, and nothing of it is lost", (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
  expect(bodyOf({ ...emptyForm(), on: ["late"], lateAfter: text }).late_after).toBe(seconds);
});
