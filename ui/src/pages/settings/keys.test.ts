import { expect, test } from "vitest";
import type { KeyInfo } from "../../api/schema";
import { endsSoon, expiryAfter, inOrder } from "./keys";

const NOW = Date.parse("2026-03-17T08:00:00Z");

function key(id: string, state: string, created: string, expires: string | null): KeyInfo {
  return {
    id,
    state,
    name: id,
    namespace: "shop",
    role: "viewer",
    created_at: created,
    created_by: "ann",
    expires_at: expires,
    used_at: null,
    revoked_at: null,
    revoked_by: null,
  };
}

test("a key for ever has no end, and others end so many days from now", () => {
  expect(expiryAfter(0, NOW)).toBeNull();
  expect(expiryAfter(7, NOW)).toBe("2026-03-24T08:00:00.000Z");
});

test("good keys come first, and of these the one that ends next", () => {
  const keys = [
    key("old", "revoked", "2026-01-01T00:00:00Z", null),
    key("ever", "active", "2026-01-02T00:00:00Z", null),
    key("late", "active", "2026-01-03T00:00:00Z", "2027-01-01T00:00:00Z"),
    key("soon", "active", "2026-01-04T00:00:00Z", "2026-03-20T00:00:00Z"),
    key("older", "expired", "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"),
  ];

  expect(inOrder(keys).map((each) => each.id)).toEqual(["soon", "late", "ever", "old", "older"]);
});

test("a key ends soon within two weeks, unless it is over already", () => {
  expect(endsSoon(key("a", "active", "2026-01-01T00:00:00Z", "2026-03-20T00:00:00Z"), NOW)).toBe(true);
  expect(endsSoon(key("a", "active", "2026-01-01T00:00:00Z", "2026-04-20T00:00:00Z"), NOW)).toBe(false);
  expect(endsSoon(key("a", "active", "2026-01-01T00:00:00Z", null), NOW)).toBe(false);
  expect(endsSoon(key("a", "expired", "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"), NOW)).toBe(false);
});
