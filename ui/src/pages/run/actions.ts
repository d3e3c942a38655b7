// What can be done to a run, by its state and by what the caller may do.
import type { RunFacts } from "../../api/schema";
import { count } from "../../text/numbers";

export type Act = "retry" | "try_now" | "resume" | "pause" | "signal" | "cancel" | "terminate" | "delete";

export interface Allowed {
  isOperator: boolean;
  isAdmin: boolean;
}

/** In the order of buttons: what is done most often comes first. The first is what `R` does, if it is safe. */
export function actsOf(status: string, isInBackoff: boolean, allowed: Allowed): Act[] {
  const acts: Act[] = [];
  if (allowed.isOperator) {
    switch (status) {
      case "failed":
      case "cancelled":
        acts.push("retry");
        break;
      case "paused":
      case "parked":
        acts.push("resume", "signal", "cancel", "terminate");
        break;
      case "pending":
      case "running":
        if (isInBackoff) acts.push("try_now");
        acts.push("signal", "pause", "cancel", "terminate");
        break;
    }
  }
  const isEnded = status === "success" || status === "failed" || status === "cancelled";
  if (allowed.isAdmin && isEnded) acts.push("delete");
  return acts;
}

/** So many buttons stand in the header; the others are in a menu. */
export function split(acts: readonly Act[]): { shown: Act[]; more: Act[] } {
  const rare: Act[] = ["pause", "terminate", "delete"];
  return {
    shown: acts.filter((each) => !rare.includes(each)),
    more: acts.filter((each) => rare.includes(each)),
  };
}

export const VERBS: Record<Act, string> = {
  retry: "Retry",
  try_now: "Try now",
  resume: "Resume",
  pause: "Pause",
  signal: "Signal",
  cancel: "Cancel",
  terminate: "Terminate",
  delete: "Delete",
};

export const RISKY: ReadonlySet<Act> = new Set<Act>(["cancel", "terminate", "delete"]);

/** What is known of the tasks of the run; null while it is loaded. */
export type Known = Pick<RunFacts, "tasks_done" | "tasks_running" | "is_counted_exactly"> | null;

/** Of what is asked in a dialog without fields of its own. What will happen, what stays recorded and what is done again: a sentence each. */
export function consequences(act: Exclude<Act, "signal">, facts: Known): string[] {
  const isExact = facts?.is_counted_exactly ?? true;
  const [done, running] = [facts?.tasks_done ?? 0, facts?.tasks_running ?? 0];
  const recorded = done
    ? `${count(done, isExact)} ${done === 1 ? "task is" : "tasks are"} done and recorded, and not done again.`
    : "What is recorded stays and is not done again.";
  const open = running
    ? `${count(running, isExact)} ${running === 1 ? "task under way is" : "tasks under way are"}`
    : "What has not ended is";
  switch (act) {
    case "retry":
      return ["The run is opened again, and what failed in it is tried again.", recorded];
    case "try_now":
      return ["Every task that waits for its next attempt begins it now.", recorded];
    case "resume":
      return ["The run goes on where it stopped.", recorded];
    case "pause":
      return [
        "No task of the run begins until it is resumed. Tasks that are under way go on, and their results are recorded.",
      ];
    case "cancel":
      return [`${open} ended. The code of the run may clean up, which can take a while.`, recorded];
    case "terminate":
      return [
        `${open} ended at once. The code of the run cannot clean up: prefer to cancel if it still answers.`,
        recorded,
      ];
    case "delete":
      return [
        "The run is deleted with its tasks, journal, logs and children. This cannot be taken back, and its id becomes free.",
      ];
  }
}
