// A schedule while it is edited: what was typed, and what of it is wrong.
import { parseJson } from "../../api/json";
import type { CatchupMode, NewSchedule, Overlap, ScheduleAnswer } from "../../api/schema";

export interface Draft {
  name: string;
  workflow: string;
  version: string;
  mode: "cron" | "every";
  cron: string;
  every: string;
  unit: Unit;
  timezone: string;
  jitter: string;
  start: string;
  end: string;
  overlap: Overlap;
  catchup: CatchupMode;
  catchupMost: string;
  input: string;
}

export type Unit = "s" | "min" | "h" | "d";
export const UNITS: Record<Unit, number> = { s: 1, min: 60, h: 3_600, d: 86_400 };

/** What is wrong, by the field where it is said. */
export type Mistakes = Partial<Record<keyof Draft, string>>;

export function draftOf(info: ScheduleAnswer | null, zone: string): Draft {
  const plan = info?.plan;
  const [workflow = "", version = ""] = splitTarget(info?.workflow ?? "");
  const [every, unit] = inUnits(plan?.every ?? 3_600);
  return {
    name: info?.name ?? "",
    workflow,
    version,
    mode: plan?.every ? "every" : "cron",
    cron: plan?.cron ?? "0 2 * * *",
    every: String(every),
    unit,
    timezone: plan?.timezone ?? zone,
    jitter: String(plan?.jitter ?? 0),
    start: localOf(plan?.start),
    end: localOf(plan?.end),
    overlap: plan?.overlap ?? "skip",
    catchup: plan?.catchup ?? "last",
    catchupMost: String(plan?.catchup_most ?? 100),
    input: JSON.stringify(info?.input ?? {}, null, 2),
  };
}

/** `fulfil@3` is version 3 of fulfil. */
function splitTarget(target: string): [string, string] {
  const at = target.lastIndexOf("@");
  return at < 0 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
}

/** In the largest unit that gives a whole number. */
export function inUnits(seconds: number): [number, Unit] {
  for (const unit of ["d", "h", "min"] as const)
    if (seconds >= UNITS[unit] && seconds % UNITS[unit] === 0) return [seconds / UNITS[unit], unit];
  return [seconds, "s"];
}

/** As a field for a date and a time has it, on the clocks of this browser. */
export function localOf(at: string | number | null | undefined): string {
  if (at === null || at === undefined) return "";
  const then = new Date(at);
  return new Date(then.getTime() - then.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function timeOfLocal(text: string): string | null {
  if (!text) return null;
  const then = new Date(text);
  return Number.isNaN(then.getTime()) ? null : then.toISOString();
}

/** What the server is sent; null if something is wrong. */
export function bodyOf(draft: Draft): { body: NewSchedule | null; mistakes: Mistakes } {
  const mistakes: Mistakes = {};
  if (!draft.workflow.trim()) mistakes.workflow = "Which workflow does it start?";
  const every = Number(draft.every) * UNITS[draft.unit];
  if (draft.mode === "cron" && !draft.cron.trim())
    mistakes.cron = "Five fields, such as 0 2 * * * for every day at 02:00.";
  if (draft.mode === "every" && !(every >= 1)) mistakes.every = "A number, and at least one second in all.";
  const jitter = Number(draft.jitter || 0);
  if (!(jitter >= 0)) mistakes.jitter = "A number of seconds, 0 or more.";
  const most = Number(draft.catchupMost);
  if (draft.catchup === "all" && !(Number.isInteger(most) && most >= 1 && most <= 1_000))
    mistakes.catchupMost = "A whole number from 1 to 1,000. Backfill is for more.";
  const start = timeOfLocal(draft.start);
  const end = timeOfLocal(draft.end);
  if (start && end && Date.parse(end) < Date.parse(start)) mistakes.end = "It ends before it starts.";
  const input = readInput(draft.input, mistakes);
  if (Object.keys(mistakes).length || input === null) return { body: null, mistakes };
  const body: NewSchedule = {
    workflow: draft.workflow.trim(),
    version: draft.version.trim() || null,
    cron: draft.mode === "cron" ? draft.cron.trim() : null,
    every: draft.mode === "every" ? every : null,
    // An interval counts elapsed time: the server refuses a zone that would have no effect.
    timezone: draft.mode === "cron" ? draft.timezone.trim() || "UTC" : "UTC",
    jitter,
    start,
    end,
    overlap: draft.overlap,
    catchup: draft.catchup,
    catchup_most: draft.catchup === "all" ? most : 100,
    input,
    origin: "",
  };
  return { body, mistakes };
}

function readInput(text: string, mistakes: Mistakes): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(text.trim() || "{}");
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      return value as Record<string, unknown>;
    mistakes.input = 'A JSON object, such as {"day": "{date}"}.';
  } catch (error) {
    mistakes.input = `It is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  return null;
}

/** The name that a new schedule gets: that of its workflow, with a number if it is taken. */
export function freeName(workflow: string, taken: Iterable<string>): string {
  const names = new Set(taken);
  if (!names.has(workflow)) return workflow;
  for (let number = 2; number <= names.size + 2; number += 1)
    if (!names.has(`${workflow}_${number}`)) return `${workflow}_${number}`;
  return workflow;
}
