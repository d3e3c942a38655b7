import { expect, test } from "vitest";
import type { RunInfo } from "../../api/schema";
import { errorName, idText, placeOf, versionText, whyOf } from "./why";

const TRACEBACK = `Traceback (most recent call last):
  File "/srv/shop.py", line 30, in call
    raise it
  File "/srv/shop.py", line 13, in charge
    if bad: raise PaymentDeclined("currency missing")
shop.PaymentDeclined: currency missing

It was raised again:

  File "/srv/shop.py", line 19, in fulfil
    return await charge(n, bad)
`;
const NOW = new Date(2026, 2, 17, 8, 47).getTime();
const run = (parts: object) =>
  ({ status: "running", failure: null, waiting: null, note: "", ...parts }) as RunInfo;

test("a failed run says where it failed, and its error in one line", () => {
  const failure = { type: "shop:PaymentDeclined", message: "currency missing\nmore", traceback: TRACEBACK };

  expect(whyOf(run({ status: "failed", failure }), NOW)).toEqual({
    where: "charge",
    text: "PaymentDeclined: currency missing",
  });
});

test("a run under way says what it waits for, and else what was noted about it", () => {
  expect(whyOf(run({ waiting: "approval 'ask'" }), NOW).text).toBe("approval 'ask'");
  expect(whyOf(run({ waiting: `until ${new Date(2026, 2, 18, 2).toISOString()}` }), NOW).text).toBe(
    "until tomorrow 02:00",
  );
  expect(whyOf(run({ note: "second try" }), NOW).text).toBe("second try");
  expect(whyOf(run({}), NOW)).toEqual({ where: "", text: "" });
});

test("a message of a megabyte is cut", () => {
  const failure = { type: "E", message: "x".repeat(1_000_000), traceback: "" };

  expect(whyOf(run({ status: "failed", failure }), NOW).text.length).toBe(300);
});

test("names are short", () => {
  expect(errorName("shop.payments:PaymentDeclined")).toBe("PaymentDeclined");
  expect(errorName("")).toBe("");
  expect(placeOf('  File "x", line 1, in <module>')).toBe("");
  expect(placeOf("no traceback")).toBe("");
  expect([versionText("31"), versionText("auto-7949a5b419ff"), versionText("2026-03")]).toEqual([
    "v31",
    "auto-7949a5",
    "2026-03",
  ]);
});

test("keys of runs are told apart by their end", () => {
  expect(idText("01a1ef73-f4f7-7e10-8005-78f97c9b7e8c")).toBe("01a1ef73…78f97c9b7e8c");
  expect(idText("order-7")).toBe("order-7");
  expect(idText("a\u202eb")).toBe("a\\u202eb");
});
