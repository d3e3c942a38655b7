import { describe, expect, it } from "vitest";
import type { LogEntry } from "../../../../api/schema";
import { find, isShown, keptFrom, readHidden, sourceOf, toneOf, whoOf, written, writeHidden } from "./lines";

function line(stream: string, text: string, more: Partial<LogEntry> = {}): LogEntry {
  return {
    at: "2026-03-17T02:00:04Z",
    task: "price",
    index: null,
    attempt: 1,
    stream,
    text,
    offset: "1-1",
    ...more,
  };
}

it.each([
  ["stdout", "stdout"],
  ["stderr", "stderr"],
  ["DEBUG", "info"],
  ["INFO", "info"],
  ["WARNING", "warning"],
  ["CRITICAL", "warning"],
  ["AUDIT", "warning"],
  ["holdfast", "holdfast"],
])("takes %s for %s", (stream, source) => {
  expect(sourceOf(stream)).toBe(source);
});

describe("isShown", () => {
  it("hides sources and other tasks", () => {
    const hidden = readHidden("info,nonsense,stderr");
    expect(writeHidden(hidden)).toBe("stderr,info");
    expect(isShown(line("INFO", ""), { hidden, task: "" })).toBe(false);
    expect(isShown(line("ERROR", ""), { hidden, task: "" })).toBe(true);
    expect(isShown(line("ERROR", ""), { hidden, task: "other" })).toBe(false);
    expect(isShown(line("ERROR", "", { task: null }), { hidden, task: "price" })).toBe(false);
  });
});

it("finds text across colours, whatever its case", () => {
  expect(find([line("INFO", "no"), line("INFO", "gi\u001b[31mving UP")], "giving up")).toEqual([1]);
  expect(find([line("INFO", "no")], "")).toEqual([]);
});

it("writes a line without colours", () => {
  expect(written(line("INFO", "\u001b[31mred", { index: 4, attempt: 2 }))).toBe(
    "2026-03-17T02:00:04Z price[4] #2 INFO red\n",
  );
  expect(written(line("INFO", "x", { task: null, attempt: 0 }))).toBe(
    "2026-03-17T02:00:04Z workflow INFO x\n",
  );
  expect(whoOf(line("INFO", "", { task: null }))).toBe("workflow");
});

it("marks what is not right", () => {
  expect([toneOf("INFO"), toneOf("WARNING"), toneOf("stderr")]).toEqual(["", "needs", "failed"]);
});

it("keeps the newest lines", () => {
  const lines = Array.from({ length: 10 }, (_, index) => line("INFO", "x".repeat(40), { index }));
  expect(keptFrom(lines, 100, 10_000)).toBe(0);
  expect(keptFrom(lines, 4, 10_000)).toBe(6);
  expect(keptFrom(lines, 100, 350)).toBe(7);
});
