// A brush is a part of the chart of runs: when they began and how long they took. It stands in the URL as
// `brush=2026-03-16T23:12Z..2026-03-17T00:04Z,1.5s..30s`, and turns into the filters `began` and `took`.
import {
  readDurationSpan,
  readTimeSpan,
  writeDurationSpan,
  writeTimeSpan,
  type DurationSpan,
  type TimeSpan,
} from "../../text/spans";
import type { Scale } from "./scales";

export interface Brush {
  began: TimeSpan;
  /** Null: however long they took, and those that are under way, too. */
  took: DurationSpan | null;
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Null if the text is no brush. */
export function readBrush(text: string, now: number): Brush | null {
  const [first = "", second] = text.split(",");
  const began = readTimeSpan(first, now);
  if (!began) return null;
  if (second === undefined) return { began, took: null };
  const took = readDurationSpan(second);
  return took && { began, took };
}

export function writeBrush(brush: Brush): string {
  const began = writeTimeSpan(brush.began);
  return brush.took ? `${began},${writeDurationSpan(brush.took)}` : began;
}

/** What the brush leaves of runs, as filters: Enter puts these in its place. */
export function brushFilters(brush: Brush): { began: string; took: string } {
  return { began: writeTimeSpan(brush.began), took: brush.took ? writeDurationSpan(brush.took) : "" };
}

/** The brush of a box. An edge of the chart is no condition: what is beyond it belongs to the brush. */
export function brushOfBox(box: Box, x: Scale, y: Scale, chart: Box): Brush {
  const round = (at: number, way: "floor" | "ceil") => Math[way](at / 1000) * 1000;
  const began = { from: round(x.value(box.left), "floor"), to: round(x.value(box.right), "ceil") };
  const over = box.bottom >= chart.bottom - 1 ? null : shortest(y.value(box.bottom));
  const under = box.top <= chart.top + 1 ? null : shortest(y.value(box.top));
  return { began, took: over === null && under === null ? null : { over, under } };
}

/** Two digits are enough for what a hand draws. */
function shortest(seconds: number): number {
  const rounded = Number(seconds.toPrecision(2));
  return Math.max(0.001, seconds < 1 ? Math.round(rounded * 1000) / 1000 : rounded);
}

export function boxOfBrush(brush: Brush, x: Scale, y: Scale, chart: Box): Box {
  return {
    left: brush.began.from === null ? chart.left : x.at(brush.began.from),
    right: brush.began.to === null ? chart.right : x.at(brush.began.to),
    top: brush.took?.under == null ? chart.top : y.at(brush.took.under),
    bottom: brush.took?.over == null ? chart.bottom : y.at(brush.took.over),
  };
}

/** A box from two corners, in any order, within the chart. */
export function boxOf(first: { x: number; y: number }, second: { x: number; y: number }, chart: Box): Box {
  const inside = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  return {
    left: inside(Math.min(first.x, second.x), chart.left, chart.right),
    right: inside(Math.max(first.x, second.x), chart.left, chart.right),
    top: inside(Math.min(first.y, second.y), chart.top, chart.bottom),
    bottom: inside(Math.max(first.y, second.y), chart.top, chart.bottom),
  };
}

const STEP = 12;

/**
 * What a key makes of the box: arrows move it, with Shift they move its right and its upper edge. Without a
 * box the first arrow makes one in the middle. Null if the key is none of these.
 */
export function boxByKey(box: Box | null, key: string, isShift: boolean, chart: Box): Box | null {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!way) return null;
  const [x = 0, y = 0] = way;
  if (!box) {
    const width = (chart.right - chart.left) / 8;
    const middle = (chart.left + chart.right) / 2;
    return { left: middle - width / 2, right: middle + width / 2, top: chart.top, bottom: chart.bottom };
  }
  if (isShift) {
    const right = Math.min(chart.right, Math.max(box.left + STEP, box.right + x * STEP));
    const top = Math.max(chart.top, Math.min(box.bottom - STEP, box.top + y * STEP));
    return { ...box, right, top };
  }
  const dx = Math.min(chart.right - box.right, Math.max(chart.left - box.left, x * STEP));
  const dy = Math.min(chart.bottom - box.bottom, Math.max(chart.top - box.top, y * STEP));
  return { left: box.left + dx, right: box.right + dx, top: box.top + dy, bottom: box.bottom + dy };
}
