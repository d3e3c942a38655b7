import { expect, it } from "vitest";
import type { ExplanationAnswer, MessageInfo } from "../../../../api/schema";
import { fateOf, fieldOf, hintOf, knownNames } from "./sending";

function message(more: Partial<MessageInfo>): MessageInfo {
  return {
    id: 1,
    kind: "signal",
    name: "paid",
    value: null,
    is_read: false,
    by: "",
    at: null,
    problem: "",
    comment: "",
    ...more,
  };
}

it("offers the names that the run waits for, then those that were sent", () => {
  const explanation = {
    explanation: {
      reasons: [
        { kind: "signal", name: "paid" },
        { kind: "promise", name: "address" },
      ],
    },
  } as unknown as ExplanationAnswer;
  const messages = [
    message({ name: "note" }),
    message({ name: "hurry" }),
    message({ kind: "update", name: "add" }),
  ];
  expect(knownNames("signal", null, explanation, messages)).toEqual(["paid", "hurry", "note"]);
  expect(knownNames("update", null, undefined, messages)).toEqual(["add"]);
});

it("offers every name that the run waits for, also those that its explanation does not have", () => {
  const explanation = {
    explanation: { reasons: [{ kind: "update", name: "add" }] },
  } as unknown as ExplanationAnswer;
  expect(knownNames("update", "update 'add'; update 'pay'", explanation, [])).toEqual(["add", "pay"]);
});

it("names all that can be sent if they are several", () => {
  expect(hintOf([])).toBe("");
  expect(hintOf(["add"])).not.toContain("add");
  expect(hintOf(["add", "pay"])).toContain("add, pay");
});

it("says what became of a message", () => {
  expect(fateOf(message({})).text).toBe("not read");
  expect(fateOf(message({ is_read: true })).text).toBe("heard");
  expect(fateOf(message({ is_read: true, answer: 5 })).text).toBe("answered");
  expect(fateOf(message({ problem: "no handler" }))).toEqual({ text: "refused", tone: "failed" });
});

it("takes a field of what a form gave", () => {
  expect(fieldOf({ value: [1] }, "value")).toEqual([1]);
  expect(fieldOf({}, "value")).toBeUndefined();
  expect(fieldOf([1], "value")).toBeUndefined();
});
