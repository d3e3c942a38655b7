// Scales and ticks of charts of durations over time. Pure: pixels in, values out, and the reverse.
import { duration } from "../../text/durations";

export interface Scale {
  /** The pixel of a value, kept within the range. */
  at(value: number): number;
  /** The value of a pixel, kept within the domain. */
  value(pixel: number): number;
}

export function linearScale([low, high]: [number, number], [first, last]: [number, number]): Scale {
  const width = high - low || 1;
  return {
    at: (value) => first + clamp((value - low) / width) * (last - first),
    value: (pixel) => low + clamp((pixel - first) / (last - first || 1)) * width,
  };
}

/** Both ends of the domain are above 0. */
export function logScale([low, high]: [number, number], range: [number, number]): Scale {
  const inner = linearScale([Math.log(low), Math.log(high)], range);
  return {
    at: (value) => inner.at(Math.log(Math.max(value, Number.MIN_VALUE))),
    value: (pixel) => Math.exp(inner.value(pixel)),
  };
}

function clamp(share: number): number {
  return Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share));
}

export interface Tick {
  value: number;
  label: string;
}

/** Where people expect a line on a logarithmic scale of durations, in seconds. */
const STOPS = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3_600, 36_000, 86_400, 864_000, 8_640_000, 86_400_000];

/** At most `most` lines between two durations. */
export function durationTicks(low: number, high: number, most: number): Tick[] {
  const within = STOPS.filter((each) => each >= low * 0.999 && each <= high * 1.001);
  const every = Math.max(1, Math.ceil(within.length / Math.max(1, most)));
  return within.filter((_, index) => index % every === 0).map((value) => ({ value, label: duration(value) }));
}

/** The stops around what is there, so that a chart of quick runs is not empty above. */
export function durationDomain(least: number, most: number): [number, number] {
  const low = STOPS.findLast((each) => each <= Math.max(least, 0.001)) ?? 0.001;
  const high = STOPS.find((each) => each >= most && each > low) ?? Math.max(most, low * 10);
  // One line alone says little about a logarithmic scale.
  return high / low < 100 ? [low, Math.max(high, low * 100)] : [low, high];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEPS = [
  1_000,
  5_000,
  15_000,
  30_000,
  MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
];
const DAYS = [1, 2, 7, 14, 28, 91, 182, 365];
const YEARS = [2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/** Ticks of a time axis in the viewer's zone, at most `most` of them, with the day where it changes. */
export function timeTicks(begin: number, end: number, most: number): Tick[] {
  const span = Math.max(1, end - begin);
  if (span > 365 * 24 * HOUR * most) return yearTicks(begin, end, most);
  const step = STEPS.find((each) => span / each <= most);
  const marks = step === undefined ? dayMarks(begin, end, most) : stepMarks(begin, end, step);
  let day = "";
  return marks.map((value) => {
    const today = dayOf.format(value);
    const isNew = today !== day;
    day = today;
    return { value, label: labelOf(value, step, isNew, span) };
  });
}

const dayOf = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const weekdayOf = new Intl.DateTimeFormat("en-GB", { weekday: "short" });
const dateOf = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const minuteOf = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const secondOf = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

function labelOf(value: number, step: number | undefined, isNewDay: boolean, span: number): string {
  if (step === undefined) return dateOf.format(value);
  const clock = (step < MINUTE ? secondOf : minuteOf).format(value);
  if (!isNewDay || span < HOUR) return clock;
  return `${(span > 6 * 24 * HOUR ? dateOf : weekdayOf).format(value)} ${clock}`;
}

/** Steps are counted from the local midnight: 06:00 is a mark on the day on which clocks change, too. */
function stepMarks(begin: number, end: number, step: number): number[] {
  const marks: number[] = [];
  const date = new Date(begin);
  for (let days = 0; days < 400; days += 1) {
    const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
    if (midnight > end) break;
    const next = new Date(date.getFullYear(), date.getMonth(), date.getDate() + days + 1).getTime();
    const skip = Math.max(0, Math.floor((begin - midnight) / step));
    for (let at = midnight + skip * step; at < next && at <= end; at += step) if (at >= begin) marks.push(at);
  }
  return marks;
}

function dayMarks(begin: number, end: number, most: number): number[] {
  const days = DAYS.find((each) => (end - begin) / (each * 24 * HOUR) <= most) ?? 365;
  const marks: number[] = [];
  const date = new Date(begin);
  for (let count = 0; count <= most + 1; count += 1) {
    const at = new Date(date.getFullYear(), date.getMonth(), date.getDate() + count * days).getTime();
    if (at > end) break;
    if (at >= begin) marks.push(at);
  }
  return marks;
}

/** Round years, with nothing but their number. */
function yearTicks(begin: number, end: number, most: number): Tick[] {
  const [first, last] = [new Date(begin).getFullYear(), new Date(end).getFullYear()];
  const step = YEARS.find((each) => (last - first) / each <= most) ?? 10_000;
  const ticks: Tick[] = [];
  for (let year = Math.ceil(first / step) * step; year <= last; year += step) {
    // `new Date(99, 0)` is in 1999.
    const value = new Date(2000, 0, 1).setFullYear(year);
    if (value >= begin && value <= end) ticks.push({ value, label: String(year) });
  }
  return ticks;
}

/** The next round number above a count, for the top of a bar chart. */
export function niceTop(value: number): number {
  if (value <= 4) return 4;
  const size = 10 ** Math.floor(Math.log10(value));
  const found = [1, 2, 4, 5, 8, 10].find((each) => each * size >= value) ?? 10;
  return found * size;
}
