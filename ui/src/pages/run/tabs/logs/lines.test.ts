import { expect, it } from "vitest";
import type { LogEntry } from "../../../../api/schema";
import {
  find,
  isShown,
  keptFrom,
  LEVELS,
  readLevel,
  readSource,
  TITLES,
  toneOf,
  whoOf,
  written,
} from "./lines";

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
  ["DEBUG", ["all levels"]],
  ["INFO", ["all levels", "INFO up"]],
  ["stdout", ["all levels", "INFO up"]],
  ["holdfast", ["all levels", "INFO up"]],
  ["WARNING", ["all levels", "INFO up", "WARNING up"]],
  ["stderr", ["all levels", "INFO up", "WARNING up"]],
  ["AUDIT", ["all levels", "INFO up", "WARNING up"]],
  ["ERROR", ["all levels", "INFO up", "WARNING up", "ERROR"]],
  ["critical", ["all levels", "INFO up", "WARNING up", "ERROR"]],
])("shows %s in %j", (stream, titles) => {
  const shown = LEVELS.filter((level) => isShown(line(stream, ""), { level, source: "", task: "" }));

  expect(shown.map((each) => TITLES[each])).toEqual(titles);
});

it("shows only what a task wrote, or where it was written to", () => {
  const wanted = { level: "", source: "", task: "" } as const;

  expect(isShown(line("ERROR", ""), { ...wanted, task: "price" })).toBe(true);
  expect(isShown(line("ERROR", ""), { ...wanted, task: "other" })).toBe(false);
  expect(isShown(line("ERROR", "", { task: null }), { ...wanted, task: "price" })).toBe(false);
  expect(isShown(line("ERROR", ""), { ...wanted, source: "logging" })).toBe(true);
  expect(isShown(line("stderr", ""), { ...wanted, source: "logging" })).toBe(false);
});

it("reads nonsense in the address as all", () => {
  expect([readLevel("ERROR"), readLevel("error?"), readSource("stderr"), readSource("x")]).toEqual([
    "ERROR",
    "",
    "stderr",
    "",
  ]);
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
