import { expect, it } from "vitest";
import type { RunInfo } from "../../api/schema";
import { endOf } from "./lately";

const NOW = new Date(2026, 2, 17, 8, 47).getTime();
const run = (more: Partial<RunInfo>) => ({ waiting: null, failure: null, ...more }) as RunInfo;

it("says why a run failed or what it waits for", () => {
  const failure = { type: "shop:Declined", message: "currency\nmissing" } as RunInfo["failure"];
  expect(endOf(run({ failure }), NOW)).toBe("Declined: currency missing");
  expect(endOf(run({ waiting: "approval 'ask'; until 2026-11-19T16:11:43+00:00" }), NOW)).toBe(
    "waits for approval 'ask'",
  );
  expect(endOf(run({ waiting: `until ${new Date(2026, 2, 18, 2).toISOString()}` }), NOW)).toBe(
    "waits until tomorrow 02:00",
  );
  expect(endOf(run({}), NOW)).toBe("");
});
