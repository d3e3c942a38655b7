import { describe, expect, it } from "vitest";
import type { ScheduleAnswer } from "../../api/schema";
import { bodyOf, draftOf, freeName, inUnits, localOf, timeOfLocal } from "./draft";

const INFO: ScheduleAnswer = {
  name: "feed",
  workflow: "ingest@3",
  input: { partner: "kato" },
  plan: {
    cron: null,
    every: 5_400,
    timezone: "UTC",
    jitter: 60,
    start: "2026-03-01T00:00:00Z",
    end: null,
    overlap: "queue",
    catchup: "all",
    catchup_most: 10,
  },
  is_paused: false,
  next_at: null,
  last_run: null,
  is_active: false,
  queued: [],
  skipped: 0,
  skip_note: null,
  origin: "",
  created_at: "2026-03-01T00:00:00Z",
  problem: null,
  words: "",
  hash: "",
};

it("sends what it was given, if nothing was changed", () => {
  const { body, mistakes } = bodyOf(draftOf(INFO, "Europe/Berlin"));
  expect(mistakes).toEqual({});
  expect(body).toMatchObject({
    workflow: "ingest",
    version: "3",
    cron: null,
    every: 5_400,
    jitter: 60,
    overlap: "queue",
    catchup: "all",
    catchup_most: 10,
    input: { partner: "kato" },
  });
  expect(Date.parse(body?.start ?? "")).toBe(Date.parse("2026-03-01T00:00:00Z"));
});

it("keeps the digits of large whole numbers", () => {
  const input = { order: 18446744073709551617n };
  const { body } = bodyOf(draftOf({ ...INFO, input }, "UTC"));

  expect(JSON.stringify(body?.input)).toBe('{"order":18446744073709551617}');
});

describe("bodyOf", () => {
  const draft = { ...draftOf(null, "Europe/Berlin"), workflow: "fulfil" };

  it("takes the zone of the viewer for a new plan of times, and none for an interval", () => {
    expect(bodyOf(draft).body).toMatchObject({ cron: "0 2 * * *", timezone: "Europe/Berlin", every: null });
    expect(bodyOf({ ...draft, mode: "every" }).body).toMatchObject({ timezone: "UTC", every: 3_600 });
  });

  it.each([
    [{ workflow: " " }, "workflow"],
    [{ cron: "" }, "cron"],
    [{ mode: "every" as const, every: "0" }, "every"],
    [{ mode: "every" as const, every: "soon" }, "every"],
    [{ jitter: "-1" }, "jitter"],
    [{ catchup: "all" as const, catchupMost: "0" }, "catchupMost"],
    [{ start: "2026-03-02T00:00", end: "2026-03-01T00:00" }, "end"],
    [{ input: "[1]" }, "input"],
    [{ input: "{" }, "input"],
  ])("says at the field what is wrong with %o", (change, field) => {
    const { body, mistakes } = bodyOf({ ...draft, ...change });
    expect(body).toBeNull();
    expect(Object.keys(mistakes)).toEqual([field]);
  });
});

it("shows an interval in the largest unit that fits", () => {
  expect(inUnits(90_000)).toEqual([25, "h"]);
  expect(inUnits(90)).toEqual([90, "s"]);
  expect(inUnits(172_800)).toEqual([2, "d"]);
});

it("reads the local time that it wrote", () => {
  expect(timeOfLocal(localOf("2026-03-17T08:47:00Z"))).toBe("2026-03-17T08:47:00.000Z");
  expect(timeOfLocal("")).toBeNull();
  expect(timeOfLocal("nonsense")).toBeNull();
});

it("finds a free name", () => {
  expect(freeName("fulfil", [])).toBe("fulfil");
  expect(freeName("fulfil", ["fulfil", "fulfil_2"])).toBe("fulfil_3");
});
