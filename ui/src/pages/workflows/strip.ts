// The last runs of a workflow as bars: the newest on the right, each as high as the logarithm of what it took.
import { OPEN_STATES } from "../../text/states";
import type { LastRun } from "./listing";

export interface Bar {
  run: LastRun;
  /** From 0 on the left. */
  place: number;
  /** From 0 to 1. */
  height: number;
  mark: string;
  isOpen: boolean;
}

const LEAST = 0.25;

/** `runs` has the newest first. */
export function barsOf(runs: LastRun[], most: number): Bar[] {
  const shown = runs.slice(0, most).reverse();
  const took = shown.map((run) => run.took).filter((each) => each !== null);
  const [low, high] = [logOf(Math.min(...took)), logOf(Math.max(...took))];
  const first = most - shown.length;
  return shown.map((run, index) => {
    const isOpen = OPEN_STATES.includes(run.status);
    const share = run.took === null || high === low ? 0.5 : (logOf(run.took) - low) / (high - low);
    // A failure has the full height: it is to be seen, however quick it was.
    const height = run.status === "failed" || run.status === "parked" ? 1 : LEAST + (1 - LEAST) * 0.8 * share;
    return { run, place: first + index, height, mark: run.status, isOpen };
  });
}

function logOf(seconds: number): number {
  return Math.log10(Math.max(0.001, seconds));
}

/** `Of the last 20 runs 18 success, 2 failed; the newest: success.` */
export function stripSentence(runs: LastRun[]): string {
  const newest = runs[0];
  if (!newest) return "No runs.";
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(run.status, (counts.get(run.status) ?? 0) + 1);
  const told = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
  return `Of the last ${runs.length === 1 ? "run" : `${runs.length} runs`} ${told}; the newest: ${newest.status}.`;
}
