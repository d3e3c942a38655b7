// The marks of a chart of runs: where each is, which is near the pointer, and what a brush holds.
import type { Brush } from "./brush";
import type { Scale } from "./scales";

/** Runs as columns, newest first. `at` and `took` are in seconds. */
export interface Cloud {
  id: string[];
  at: number[];
  took: (number | null)[];
  state: string[];
  workflow: string[];
}

/** The first and the last time and duration that are there. Runs under way have taken until now. */
export function extentOf(cloud: Cloud, now: number): { begin: number; least: number; most: number } | null {
  if (!cloud.at.length) return null;
  let [begin, least, most] = [Infinity, Infinity, 0];
  cloud.at.forEach((at, index) => {
    const took = tookOf(cloud, index, now);
    begin = Math.min(begin, at * 1000);
    least = Math.min(least, took);
    most = Math.max(most, took);
  });
  return { begin, least, most };
}

/** How long a run has taken, in seconds. */
export function tookOf(cloud: Cloud, index: number, now: number): number {
  return cloud.took[index] ?? Math.max(0, now / 1000 - (cloud.at[index] ?? 0));
}

/** The run whose mark is nearest to a place, within some pixels; -1 if none is. */
export function nearest(
  cloud: Cloud,
  place: { x: number; y: number },
  x: Scale,
  y: Scale,
  now: number,
  within = 9,
): number {
  let [found, least] = [-1, within * within];
  for (let index = 0; index < cloud.at.length; index += 1) {
    const across = x.at((cloud.at[index] ?? 0) * 1000) - place.x;
    if (across > within || across < -within) continue;
    const down = y.at(tookOf(cloud, index, now)) - place.y;
    const distance = across * across + down * down;
    if (distance >= least) continue;
    [found, least] = [index, distance];
  }
  return found;
}

/** How many runs a brush holds, by state. A brush of durations holds only runs that have ended. */
export function heldBy(cloud: Cloud, brush: Brush): Map<string, number> {
  const held = new Map<string, number>();
  const { began, took } = brush;
  for (let index = 0; index < cloud.at.length; index += 1) {
    const at = (cloud.at[index] ?? 0) * 1000;
    if ((began.from !== null && at < began.from) || (began.to !== null && at >= began.to)) continue;
    const length = cloud.took[index] ?? null;
    if (took && length === null) continue;
    if (took && length !== null && took.over !== null && length < took.over) continue;
    if (took && length !== null && took.under !== null && length > took.under) continue;
    const state = cloud.state[index] ?? "";
    held.set(state, (held.get(state) ?? 0) + 1);
  }
  return held;
}

/** `36 failed of 58`, `58 runs`. */
export function heldText(held: Map<string, number>): string {
  const total = [...held.values()].reduce((sum, each) => sum + each, 0);
  const failed = held.get("failed") ?? 0;
  if (failed && failed < total)
    return `${failed.toLocaleString("en")} failed of ${total.toLocaleString("en")}`;
  if (failed) return `${failed.toLocaleString("en")} failed`;
  return `${total.toLocaleString("en")} ${total === 1 ? "run" : "runs"}`;
}
