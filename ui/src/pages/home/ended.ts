// The chart of runs that ended: successes stand on the line, failures hang below it, each at its own scale.
import type { StatsPoint } from "../../api/schema";
import { niceTop } from "../../parts/scatter/scales";

export interface Window {
  name: string;
  /** In seconds. */
  last: number;
  step: number;
  /** What a bar is. */
  each: string;
  said: string;
}

export const WINDOWS: Window[] = [
  { name: "Hour", last: 3_600, step: 60, each: "each minute", said: "in the last hour" },
  { name: "Day", last: 86_400, step: 900, each: "each quarter hour", said: "in the last 24 hours" },
  { name: "Week", last: 604_800, step: 7_200, each: "each two hours", said: "in the last 7 days" },
];

export const [HOUR, DAY] = WINDOWS as [Window, Window, Window];

/** The one that was chosen, by name; null if none was. */
export function windowOf(name: string): Window | null {
  return WINDOWS.find((each) => each.name.toLowerCase() === name) ?? null;
}

/** The span in which what there is can be seen, if nobody has chosen one. `points` are those of a day. */
export function fittingWindow(points: StatsPoint[], now: number): Window {
  const first = points.find((each) => each.succeeded + each.failed + each.cancelled > 0);
  return first && Date.parse(first.at) >= now - HOUR.last * 1000 ? HOUR : DAY;
}

export interface Bar {
  left: number;
  width: number;
  /** Heights in pixels, from the line. */
  succeeded: number;
  cancelled: number;
  failed: number;
}

export interface BarChart {
  bars: Bar[];
  /** The count at the upper edge. */
  top: number;
  /** The most failures in a bar. */
  worst: number;
}

/**
 * One bar a point, over the whole width. `above` and `below` are the heights on both sides of the line. One
 * failure can always be seen.
 */
export function barsOf(points: StatsPoint[], width: number, above: number, below: number): BarChart {
  const top = niceTop(Math.max(0, ...points.map((each) => each.succeeded + each.cancelled)));
  const worst = Math.max(0, ...points.map((each) => each.failed));
  const step = width / Math.max(1, points.length);
  const gap = step > 6 ? 1.5 : 0.5;
  const down = (failed: number) => (failed ? Math.max(3, (failed / Math.max(worst, 5)) * below) : 0);
  const up = (count: number) => (count ? Math.max(1, (count / top) * above) : 0);
  const bars = points.map((each, index) => ({
    left: index * step,
    width: Math.max(1, step - gap),
    succeeded: up(each.succeeded),
    cancelled: up(each.cancelled),
    failed: down(each.failed),
  }));
  return { bars, top, worst };
}

/** `00:15 to 00:30: 120 succeeded, 3 failed`, without the times. */
export function pointText(point: StatsPoint): string {
  const parts = [`${point.succeeded.toLocaleString("en")} succeeded`];
  if (point.failed) parts.push(`${point.failed.toLocaleString("en")} failed`);
  if (point.cancelled) parts.push(`${point.cancelled.toLocaleString("en")} cancelled`);
  return parts.join(", ");
}

const HOURS = 24;
const AN_HOUR = 3_600_000;

/**
 * Heights of a small chart of one workflow, and of the failures in it: one place for each of the last 24 hours. The
 * points are those of hours with runs only.
 */
export function sparkOf(
  points: { at: string; succeeded: number; failed: number }[],
  height: number,
  now: number,
): { up: number; failed: number }[] {
  const most = Math.max(1, ...points.map((each) => each.succeeded + each.failed));
  const hourOf = (at: number) => Math.floor(at / AN_HOUR);
  const places = Array.from({ length: HOURS }, () => ({ up: 0, failed: 0 }));
  for (const each of points) {
    const all = each.succeeded + each.failed;
    const index = HOURS - 1 - (hourOf(now) - hourOf(Date.parse(each.at)));
    if (!all || !places[index]) continue;
    const up = Math.max(2, (all / most) * height);
    places[index] = { up, failed: each.failed ? Math.max(2, (each.failed / all) * up) : 0 };
  }
  return places;
}
