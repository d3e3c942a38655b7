// The axis of the timeline. It leaves out long gaps in which nothing worked, so that work can be seen that took
// seconds in a run of days. Times are in milliseconds, places in pixels.
import { timeTicks } from "../../../parts/scatter/scales";
import { duration } from "../../../text/durations";

export interface Interval {
  from: number;
  to: number;
}
/** A part of the axis; a cut has the same width however long it is. */
export interface Piece extends Interval {
  x: number;
  width: number;
  isCut: boolean;
}
export interface Axis {
  pieces: Piece[];
  width: number;
  span: Interval;
  /** The place of a time; times outside of the axis are at its ends. */
  at(time: number): number;
  time(x: number): number;
}
export interface AxisTick {
  x: number;
  label: string;
}

const LEAST_GAP = 30_000;
const LEAST_SHARE = 0.05;
export const CUT_WIDTH = 64;

/** The stretches in which nothing worked, if they are long: over 30 s and over 5 % of the whole. */
export function gapsOf(work: readonly Interval[], span: Interval): Interval[] {
  const least = Math.max(LEAST_GAP, (span.to - span.from) * LEAST_SHARE);
  const sorted = work
    .filter((each) => each.to >= span.from && each.from <= span.to)
    .sort((one, other) => one.from - other.from);
  const gaps: Interval[] = [];
  let reached = span.from;
  for (const each of [...sorted, { from: span.to, to: span.to }]) {
    if (each.from - reached > least) gaps.push({ from: reached, to: each.from });
    reached = Math.max(reached, each.to);
  }
  const rest = span.to - span.from - gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  return gaps.map((gap) => {
    // The ends of a gap are shown, so that what waits in it is seen to begin and to end.
    const edge = Math.min((gap.to - gap.from) / 10, Math.max(1_000, rest * 0.03));
    return { from: gap.from + edge, to: gap.to - edge };
  });
}

/** An axis of a span; the longest gaps are cut, as many as leave half of the width to what is shown. */
export function axisOf(span: Interval, gaps: readonly Interval[], width: number): Axis {
  const most = Math.max(0, Math.floor(width / 2 / CUT_WIDTH));
  const cuts = gaps
    .filter((gap) => gap.from >= span.from && gap.to <= span.to && gap.to > gap.from)
    .sort((one, other) => other.to - other.from - (one.to - one.from))
    .slice(0, most)
    .sort((one, other) => one.from - other.from);
  const shown = Math.max(1, span.to - span.from - cuts.reduce((sum, cut) => sum + cut.to - cut.from, 0));
  const perPixel = shown / Math.max(1, width - cuts.length * CUT_WIDTH);
  const pieces: Piece[] = [];
  let from = span.from;
  let x = 0;
  const add = (to: number, isCut: boolean): void => {
    const wide = isCut ? CUT_WIDTH : (to - from) / perPixel;
    if (wide > 0) pieces.push({ from, to, x, width: wide, isCut });
    from = to;
    x += wide;
  };
  for (const cut of cuts) {
    add(cut.from, false);
    add(cut.to, true);
  }
  add(span.to, false);
  if (pieces.length === 0) pieces.push({ from: span.from, to: span.from + 1, x: 0, width, isCut: false });
  return { pieces, width, span, at: (time) => placeOf(pieces, time), time: (place) => timeOf(pieces, place) };
}

function placeOf(pieces: readonly Piece[], time: number): number {
  const piece = pieces.find((each) => time <= each.to) ?? pieces.at(-1);
  if (!piece) return 0;
  const share = (time - piece.from) / (piece.to - piece.from || 1);
  return piece.x + Math.min(1, Math.max(0, share)) * piece.width;
}

function timeOf(pieces: readonly Piece[], x: number): number {
  const piece = pieces.find((each) => x <= each.x + each.width) ?? pieces.at(-1);
  if (!piece) return 0;
  const share = (x - piece.x) / (piece.width || 1);
  return piece.from + Math.min(1, Math.max(0, share)) * (piece.to - piece.from);
}

const LABEL = 84;
/** Shorter spans are counted from their beginning: nobody reads 08:47:22.114. */
const COUNTED = 20_000;
const CHARACTER = 6.6;
/** Between two labels. */
const APART = 8;

export interface GapLabel {
  /** Its middle. */
  x: number;
  label: string;
}

/** What stands above the axis. Labels that would be cut off, or lie over each other, are left out. */
export interface AxisLabels {
  ticks: AxisTick[];
  gaps: GapLabel[];
  /** The begin of the box with the time of now. */
  now: number | null;
}

export const NOW_WIDTH = 56;

/** Where lines stand at both ends of each cut. */
export function cutLines(axis: Axis): number[] {
  return axis.pieces.flatMap((each) => (each.isCut ? [each.x + 1, each.x + each.width - 1] : []));
}

/** `now` is its place on the axis. The time of now and the lengths of gaps matter more than ticks. */
export function labelsOf(axis: Axis, now: number | null, begin = axis.span.from): AxisLabels {
  const box = now === null ? null : Math.max(0, now - NOW_WIDTH / 2);
  const taken: Interval[] = box === null ? [] : [{ from: box, to: box + NOW_WIDTH }];
  const isFree = (from: number, to: number): boolean =>
    taken.every((each) => to + APART <= each.from || from >= each.to + APART);
  const gaps: GapLabel[] = [];
  for (const piece of axis.pieces.filter((each) => each.isCut)) {
    const label = duration((piece.to - piece.from) / 1000);
    const half = (label.length * CHARACTER) / 2;
    const middle = piece.x + piece.width / 2;
    // Beside the time of now, if that stands where it should be.
    const places = [middle, ...(box === null ? [] : [box - APART - half, box + NOW_WIDTH + APART + half])];
    const x = places.find((each) => each >= half && isFree(each - half, each + half));
    if (x === undefined) continue;
    gaps.push({ x, label });
    taken.push({ from: x - half, to: x + half });
  }
  const ticks = ticksOf(axis, begin).map((tick) => {
    const end = tick.x + tick.label.length * CHARACTER;
    const isShown = end <= axis.width && isFree(tick.x, end);
    if (isShown) taken.push({ from: tick.x, to: end });
    return isShown ? tick : { ...tick, label: "" };
  });
  return { ticks, gaps, now: box };
}

/** Round times, or round times since the beginning of the run if all of the axis is short. */
export function ticksOf(axis: Axis, begin = axis.span.from): AxisTick[] {
  const shown = axis.pieces.filter((each) => !each.isCut);
  const length = axis.span.to - axis.span.from;
  const isCounted = length < COUNTED;
  const origin = axis.span.to - begin < COUNTED ? begin : axis.span.from;
  return shown.flatMap((piece) => {
    const most = Math.floor(piece.width / LABEL);
    if (most < 1) return [];
    const marks = isCounted
      ? sinceBegin(piece, origin, most)
      : timeTicks(piece.from, piece.to, most).map((each) => ({ time: each.value, label: each.label }));
    return marks.map((mark) => ({ x: axis.at(mark.time), label: mark.label }));
  });
}

function sinceBegin(piece: Piece, begin: number, most: number): { time: number; label: string }[] {
  const step = Math.max(1, roundStep((piece.to - piece.from) / most));
  const marks: { time: number; label: string }[] = [];
  for (let index = Math.ceil((piece.from - begin) / step); marks.length <= most; index += 1) {
    const time = begin + index * step;
    if (time > piece.to) break;
    marks.push({ time, label: index === 0 ? "0" : duration((index * step) / 1000) });
  }
  return marks;
}

/** The next of 1, 2, 5, 10, 20, … that is at least `least`. */
export function roundStep(least: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(least, 1e-3)));
  return size * ([1, 2, 5, 10].find((each) => each * size >= least * 0.999) ?? 10);
}

/** A brushed stretch as the URL has it: milliseconds since the beginning of the run, `1200..5300`. */
export function writeSpan(span: Interval, begin: number): string {
  return `${Math.round(span.from - begin)}..${Math.round(span.to - begin)}`;
}

export function readSpan(text: string, begin: number): Interval | null {
  const found = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text);
  if (!found) return null;
  const from = begin + Number(found[1]);
  const to = begin + Number(found[2]);
  return to > from ? { from, to } : null;
}

/** Names of rows that are open, as the URL has them; names may have commas. */
export function writeNames(names: readonly string[]): string {
  return names.map(encodeURIComponent).join(",");
}

export function readNames(text: string): string[] {
  return text
    .split(",")
    .filter(Boolean)
    .map((name) => {
      try {
        return decodeURIComponent(name);
      } catch {
        return name;
      }
    });
}
