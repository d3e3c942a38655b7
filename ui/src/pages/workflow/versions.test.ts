import { expect, it } from "vitest";
import type { WorkflowVersionInfo } from "../../api/schema";
import { shortVersion, shownOf } from "./versions";

const VERSIONS = ["3", "2", "1"].map((version) => ({ version }) as WorkflowVersionInfo);
const shown = (asked: string, against: string) => {
  const { version, before } = shownOf(VERSIONS, asked, against);
  return [version?.version, before?.version];
};

it("shows the newest and compares it with the one before", () => {
  expect(shown("", "")).toEqual(["3", "2"]);
});

it("shows the one that is asked for; the first has none before it", () => {
  expect(shown("2", "")).toEqual(["2", "1"]);
  expect(shown("1", "")).toEqual(["1", undefined]);
  expect(shown("3", "1")).toEqual(["3", "1"]);
});

it("shows none if there is no such version, and compares none with itself", () => {
  expect(shown("9", "")).toEqual([undefined, undefined]);
  expect(shown("2", "2")).toEqual(["2", undefined]);
});

it("shortens a version that is a hash", () => {
  expect(shortVersion("auto-c33454be37f5")).toBe("auto-c33454");
  expect(shortVersion("8")).toBe("v8");
  expect(shortVersion("2026-03")).toBe("2026-03");
});
