// The spread of durations on a logarithmic scale, from a millisecond to what the slowest took.
import type { TookNumbers } from "../../api/schema";

export interface Scale {
  min: number;
  max: number;
}

const FLOOR = 0.001;

/** One scale for all rows, from the shortest to the longest by whole tens. Null if nothing was measured. */
export function scaleOf(all: TookNumbers[]): Scale | null {
  let [min, max] = [Infinity, -Infinity];
  for (const took of all) {
    min = Math.min(min, Math.max(FLOOR, took.least));
    max = Math.max(max, Math.max(FLOOR, took.most));
  }
  if (max < min) return null;
  const low = 10 ** Math.floor(Math.log10(min));
  const high = 10 ** Math.ceil(Math.log10(max));
  return { min: low, max: high > low ? high : low * 10 };
}

/** From 0 to 1. */
export function placeOn(value: number, scale: Scale): number {
  const at = Math.log10(Math.max(FLOOR, value) / scale.min) / Math.log10(scale.max / scale.min);
  return Math.max(0, Math.min(1, at));
}

/** Round values for the axis: each ten, but no more than there is room for. */
export function ticksOf(scale: Scale, most: number): number[] {
  const count = Math.round(Math.log10(scale.max / scale.min));
  const step = Math.max(1, Math.ceil(count / Math.max(1, most - 1)));
  const ticks: number[] = [];
  for (let power = 0; power <= count; power += step) ticks.push(scale.min * 10 ** power);
  return ticks;
}
