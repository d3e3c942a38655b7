// The strip of a schedule: twelve hours back and ahead, one mark a tick.
import type { ComingTick, PastTick } from "../../api/schema";
import { timeOfDay } from "../../text/times";
import { moveOf, placeOf, type ClockChange } from "../../text/zones";
import { duration } from "../../text/durations";
import { count } from "../../text/numbers";

export const HALF = 12 * 3_600_000;

export interface Ticks {
  past: PastTick[];
  coming: ComingTick[];
  clock_changes: ClockChange[];
  /** False: there are more ticks in this time. */
  is_all: boolean;
}

export interface Mark {
  /** `bar` of a run, `skip` of a tick without one, `coming`, `late` (should have fired), `clock`, `cut`. */
  shape: "bar" | "skip" | "coming" | "late" | "clock" | "cut";
  /** The state that gives the colour. */
  state: string;
  x: number;
  /** 0: a line. */
  width: number;
  title: string;
}

/** Where a time is on a strip of that width: now is in the middle. */
export function placeOn(at: number, now: number, width: number): number {
  return ((at - now + HALF) / (2 * HALF)) * width;
}

/** Thinner if there are many, so that they can be told apart. */
export function thicknessOf(count: number, width: number): number {
  return Math.max(1.5, Math.min(4, width / 2 / Math.max(1, count) - 1.5));
}

export function marksOf(ticks: Ticks, zone: string, now: number, width: number): Mark[] {
  const thickness = thicknessOf(Math.max(ticks.past.length, ticks.coming.length), width);
  const marks: Mark[] = [];
  for (const tick of ticks.past) {
    const mark = pastMark(tick, now, width, thickness);
    if (mark) marks.push(mark);
  }
  marks.push(...cutMark(ticks, now, width), ...comingMarks(ticks, now, width));
  for (const change of ticks.clock_changes) {
    const x = placeOn(Date.parse(change.at), now, width);
    if (x < 0 || x > width) continue;
    const title = `${timeOfDay(change.at)}: the clocks of ${placeOf(zone)} ${moveOf(change)}`;
    marks.push({ shape: "clock", state: "pending", x, width: 1, title });
  }
  return marks;
}

const BOX = 4;
/** Pixels from one tick to the next that boxes need, and that lines need. */
const ROOM_OF_BOXES = 7;
const ROOM_OF_LINES = 3;

/**
 * Hollow boxes, as they stand for runs that are not there yet; lines if they are too close for boxes, and fewer
 * lines if they are too close for lines. On whole pixels, so that all look the same.
 */
function comingMarks(ticks: Ticks, now: number, width: number): Mark[] {
  const marks = ticks.coming
    .map(({ tick, at }): Mark => {
      const x = Math.floor(placeOn(Date.parse(at), now, width)) + 0.5;
      return { shape: "coming", state: "pending", x, width: BOX, title: `${timeOfDay(tick)} comes` };
    })
    .filter((mark) => mark.x <= width);
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last) return [];
  const room = (last.x - first.x) / Math.max(1, marks.length - 1);
  if (marks.length === 1 || room >= ROOM_OF_BOXES) return marks;
  if (room >= ROOM_OF_LINES) return marks.map((mark) => ({ ...mark, width: 0 }));
  const title = `often from ${timeOfDay(ticks.coming[0]?.tick ?? "")} on: not each tick has a line`;
  const lines: Mark[] = [];
  const end = ticks.is_all ? last.x : width;
  for (let x = first.x; x <= end; x += ROOM_OF_LINES) lines.push({ ...first, x, width: 0, title });
  return lines;
}

/** What is not known of the past, so that nobody takes it for a time without ticks. */
function cutMark(ticks: Ticks, now: number, width: number): Mark[] {
  const oldest = ticks.past[0];
  if (ticks.is_all || !oldest) return [];
  const x = Math.floor(placeOn(Date.parse(oldest.tick), now, width)) - 1;
  const title = `Older ticks than the last ${count(ticks.past.length)} are not drawn`;
  return x > 0 ? [{ shape: "cut", state: "pending", x: 0, width: x, title }] : [];
}

/** At the tick, for as long as the run took: a tick that was filled in later is seen where it belongs. */
function pastMark(tick: PastTick, now: number, width: number, thickness: number): Mark | null {
  const title = becameOf(tick);
  if (tick.run === null) {
    const x = placeOn(Date.parse(tick.tick), now, width);
    const isSkipped = tick.status === "skipped";
    if (x < 0) return null;
    return {
      shape: isSkipped ? "skip" : "late",
      state: isSkipped ? "skipped" : "pending",
      x,
      width: thickness,
      title,
    };
  }
  const isOpen = tick.took === undefined || tick.took === null;
  const begin = Date.parse((isOpen && tick.started_at) || tick.tick);
  const end = isOpen ? now : Math.min(now, begin + (tick.took ?? 0) * 1000);
  if (end < now - HALF) return null;
  const from = Math.max(0, placeOn(begin, now, width));
  const to = placeOn(end, now, width);
  return { shape: "bar", state: tick.status, x: from, width: Math.max(thickness, to - from), title };
}

/** `08:00 failed after 4.2 s`, `06:00 skipped: the run before had not ended`. */
export function becameOf(tick: PastTick): string {
  const time = timeOfDay(tick.tick).replace(/:00$/, "");
  // What has no end so far says so by its status.
  const took = typeof tick.took === "number" ? ` after ${duration(tick.took)}` : "";
  return `${time} ${tick.status}${took}${tick.note ? `: ${tick.note}` : ""}`;
}

/** What the strip shows, for those who do not see it. */
export function sentenceOf(ticks: Omit<Ticks, "clock_changes">, now: number): string {
  const counts = new Map<string, number>();
  for (const tick of ticks.past)
    if (Date.parse(tick.tick) >= now - HALF) counts.set(tick.status, (counts.get(tick.status) ?? 0) + 1);
  const past = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
  const coming = ticks.coming.filter((each) => Date.parse(each.at) <= now + HALF).length;
  const more = ticks.is_all ? "" : " or more";
  return `${past ? `In the last 12 h: ${past}${more}.` : "No tick in the last 12 h."} ${coming}${more} to come in the next 12 h.`;
}
