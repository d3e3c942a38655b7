// Which mark a state has. The two that wait are not states of the engine: they are told apart by `waiting`.
export const RUN_STATES = [
  "pending",
  "running",
  "success",
  "failed",
  "cancelled",
  "paused",
  "parked",
] as const;
export const OPEN_STATES = ["pending", "running", "paused", "parked"];

const MARKS = new Set([
  "pending",
  "dispatched",
  "running",
  "waiting",
  "person",
  "success",
  "failed",
  "timed_out",
  "lost",
  "cancelled",
  "skipped",
  "paused",
  "parked",
]);

/** The mark of a run or task: its own, or that of what it waits for. */
export function markOf(state: string, waiting?: string | null): string {
  if (state === "running" && waiting)
    return /approval|promise|question|answer|person/.test(waiting) ? "person" : "waiting";
  return MARKS.has(state) ? state : "pending";
}
