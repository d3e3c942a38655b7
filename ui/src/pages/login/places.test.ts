import { expect, test } from "vitest";
import { placeAfter, providerAddress, readRefusal } from "./places";

const origin = "https://holdfast.example";

test.each([
  ["/runs/order-7?tab=logs", "/runs/order-7?tab=logs"],
  ["/runs/order%2F7#x", "/runs/order%2F7#x"],
  ["", "/"],
  ["runs", "/"],
  ["//evil.example/runs", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example/", "/"],
  ["javascript:alert(1)", "/"],
  ["/login?next=/login", "/"],
  ["/%zz", "/%zz"],
])("after a login, %s leads to %s", (next, expected) => {
  expect(placeAfter(next, origin, "/")).toBe(expected);
});

test("a page outside of where the pages are mounted is not gone to", () => {
  expect(placeAfter("/other", origin, "/hold/")).toBe("/hold/");
  expect(placeAfter("/hold/runs", origin, "/hold/")).toBe("/hold/runs");
});

test("the identity provider is told where to come back to", () => {
  expect(providerAddress("/login/oidc", "/runs?status=failed&x=1")).toBe(
    "/login/oidc?next=%2Fruns%3Fstatus%3Dfailed%26x%3D1",
  );
});

test.each([
  ["", null],
  ["a=1; b=2", null],
  ["not_holdfast_refused=x", null],
  ["holdfast_refused=%zz", null],
  ["a=1; holdfast_refused=no%20role", { name: "holdfast_refused", reason: "no role" }],
  ["__Host-holdfast_refused=x%3By", { name: "__Host-holdfast_refused", reason: "x;y" }],
])("of the cookies %s, why a login was refused is read", (cookies, expected) => {
  expect(readRefusal(cookies)).toEqual(expected);
});
