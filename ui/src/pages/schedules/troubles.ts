// What is not right with the schedules: the sentence of the page, and a tag for each row.
import type { PastTick } from "../../api/schema";
import type { Part } from "../../parts/Parts.svelte";
import { duration } from "../../text/durations";
import { relative, timeOfDay } from "../../text/times";

export interface Watched {
  name: string;
  is_paused: boolean;
  next_at: string | null;
  is_active: boolean;
  queued: string[];
  problem: string | null;
  overlap: string;
  past: PastTick[];
  typical_took: number | null;
}

export interface Trouble {
  kind: "overdue" | "failed" | "slow" | "skipped";
  tag: string;
  parts: Part[];
}

const SLOW = 3;
const SHORTEST = 60;

/** The worst that is not right, or null. */
export function troubleOf(watched: Watched, now: number): Trouble | null {
  const name: Part = { text: watched.name, kind: "schedule", ref: watched.name };
  if (watched.problem)
    return {
      kind: "overdue",
      tag: "overdue",
      parts: [name, { text: ` is overdue: ${watched.problem.replace(/\.$/, "")}. ` }],
    };
  const ended = watched.past.findLast((tick) => tick.run !== null && tick.finished_at);
  if (ended?.status === "failed")
    return {
      kind: "failed",
      tag: "last one failed",
      parts: [
        { text: "the " },
        { text: `${timeOfDay(ended.tick, { seconds: false })} run`, kind: "run", ref: ended.run ?? "" },
        { text: " of " },
        name,
        { text: " failed. " },
      ],
    };
  const late = slowBy(watched, now);
  if (late !== null)
    return {
      kind: "slow",
      tag: `${duration(late)} longer than usual`,
      parts: [name, { text: ` has run ${duration(late)} longer than usual${nextWaits(watched)}. ` }],
    };
  const last = watched.past.at(-1);
  if (last?.status === "skipped" && !watched.is_paused)
    return {
      kind: "skipped",
      tag: "last tick skipped",
      parts: [
        { text: `the ${timeOfDay(last.tick, { seconds: false })} tick of ` },
        name,
        { text: ` was skipped${last.note ? `: ${last.note.replace(/\.$/, "")}` : ""}. ` },
      ],
    };
  return null;
}

/** How much longer the run under way has taken than a typical one, in seconds; null if it is not much. */
function slowBy(watched: Watched, now: number): number | null {
  const open = watched.past.findLast((tick) => tick.run !== null && !tick.finished_at && tick.started_at);
  if (!open?.started_at || watched.typical_took === null) return null;
  const so_far = (now - Date.parse(open.started_at)) / 1000;
  return so_far > Math.max(SHORTEST, SLOW * watched.typical_took) ? so_far - watched.typical_took : null;
}

function nextWaits(watched: Watched): string {
  if (watched.overlap === "queue") return "; its next tick will queue behind it";
  if (watched.overlap === "skip") return "; its next tick will be skipped unless it ends";
  return "";
}

const RANK = ["overdue", "failed", "slow", "skipped"];
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const MOST_TOLD = 3;

/** The sentence of the page. */
export function sentenceOf(schedules: Watched[], now: number): Part[] {
  const count = schedules.length;
  const all = `${count.toLocaleString("en")} schedule${count === 1 ? "" : "s"}`;
  const troubles = schedules
    .map((each) => troubleOf(each, now))
    .filter((each) => each !== null)
    .sort((one, other) => RANK.indexOf(one.kind) - RANK.indexOf(other.kind));
  if (!troubles.length) return [...calm(schedules, all, now), ...paused(schedules)];
  const said = `${all}, ${NUMBERS[troubles.length] ?? troubles.length} ${troubles.length === 1 ? "trouble" : "troubles"}: `;
  const told = troubles.slice(0, MOST_TOLD).flatMap((trouble, index) => {
    const [first, ...rest] = trouble.parts;
    if (!first || index === 0 || first.kind) return trouble.parts;
    return [{ ...first, text: first.text.charAt(0).toUpperCase() + first.text.slice(1) }, ...rest];
  });
  const left = troubles.length - MOST_TOLD;
  const more: Part[] = left > 0 ? [{ text: `${left} more below.` }] : [];
  return [{ text: said, kind: "strong" }, ...told, ...more];
}

function calm(schedules: Watched[], all: string, now: number): Part[] {
  const next = schedules
    .filter((each) => each.next_at !== null && !each.is_paused)
    .sort((one, other) => Date.parse(one.next_at ?? "") - Date.parse(other.next_at ?? ""))[0];
  const begin: Part = { text: `${all}, no trouble. `, kind: "strong" };
  if (!next?.next_at) return [begin, { text: "None of them will fire. " }];
  return [
    begin,
    { text: "Next is " },
    { text: next.name, kind: "schedule", ref: next.name },
    {
      text:
        Date.parse(next.next_at) > now
          ? `, ${relative(next.next_at, stepped(next.next_at, now))}. `
          : ", now. ",
    },
  ];
}

/** Now, so that more than two minutes are told whole: the sentence would run behind the table beside it. */
function stepped(next: string, now: number): number {
  const left = Date.parse(next) - now;
  return left < 120_000 ? now : now + (left % 60_000);
}

function paused(schedules: Watched[]): Part[] {
  const count = schedules.filter((each) => each.is_paused).length;
  if (!count) return [];
  const number = NUMBERS[count] ?? String(count);
  return [
    { text: `${number.charAt(0).toUpperCase()}${number.slice(1)} ${count === 1 ? "is" : "are"} paused.` },
  ];
}
