// What can be done to many runs at once, and what is said before it is done.
import { counted } from "../../text/numbers";

export type Act = "retry" | "cancel" | "pause" | "resume" | "delete";

export interface ActWords {
  act: Act;
  /** On the button. */
  verb: string;
  /** What is going on: `Retrying 36 runs`. */
  going: string;
  /** The states of runs to which it can be done. */
  states: readonly string[];
  /** Why it cannot be done to the others. */
  others: string;
  role: "operator" | "admin";
  isRisky: boolean;
  /** What stays, and what is done again. */
  says: string;
  /** What it is asked for beside a yes. */
  asks?: "reason" | "timers";
}

export const ACTS: ActWords[] = [
  {
    act: "retry",
    verb: "Retry",
    going: "Retrying",
    states: ["failed", "cancelled"],
    others: "did not fail and was not cancelled",
    role: "operator",
    isRisky: false,
    says: "What is recorded stays and is not done again. What failed is tried again, with the same idempotency keys.",
  },
  {
    act: "resume",
    verb: "Resume",
    going: "Resuming",
    states: ["paused", "parked"],
    others: "is not paused or parked",
    role: "operator",
    isRisky: false,
    says: "Each goes on where it stopped. What is recorded stays.",
    asks: "timers",
  },
  {
    act: "pause",
    verb: "Pause",
    going: "Pausing",
    states: ["pending", "running"],
    others: "does not run",
    role: "operator",
    isRisky: false,
    says: "Tasks under way finish and are recorded. No other begins until somebody resumes the run.",
  },
  {
    act: "cancel",
    verb: "Cancel",
    going: "Cancelling",
    states: ["pending", "running", "paused", "parked"],
    others: "has ended",
    role: "operator",
    isRisky: true,
    says: "Each is asked to end, and its code may clean up. What is recorded stays; a retry can reopen it later.",
    asks: "reason",
  },
  {
    act: "delete",
    verb: "Delete",
    going: "Deleting",
    states: ["success", "failed", "cancelled"],
    others: "has not ended",
    role: "admin",
    isRisky: true,
    says: "All that is stored about each goes: its journal, tasks, logs and children. This cannot be taken back; an export can be imported again.",
  },
];

export function wordsOf(act: Act): ActWords {
  return ACTS.find((each) => each.act === act) as ActWords;
}

/** The conditions, narrowed to the states to which it can be done; null if no run can be left. */
export function narrowed<T extends { status?: string[] | null }>(conditions: T, words: ActWords): T | null {
  const status = conditions.status?.length
    ? conditions.status.filter((each) => words.states.includes(each))
    : [...words.states];
  return status.length ? { ...conditions, status } : null;
}

/** `Retry 36 runs?` */
export function titleOf(words: ActWords, count: number, isExact = true): string {
  return `${words.verb} ${isExact ? "" : "at least "}${counted(count, "run")}?`;
}

export interface Progress {
  words: ActWords;
  /** Null until it is counted. */
  total: number | null;
  done: number;
  refused: number;
  isOver: boolean;
  /** The server has not answered for some seconds: the job may go on all the same. */
  isUnheard: boolean;
  problem: string;
}

/** `Retrying 36 runs: 12 done, 1 refused.` */
export function progressText(progress: Progress): string {
  const { words, total, done, refused, isOver } = progress;
  const what = total === null ? "runs" : counted(total, "run");
  const tail = refused ? `, ${refused.toLocaleString("en")} refused` : "";
  if (!isOver) {
    const unheard = progress.isUnheard ? " The server does not answer; the job may go on." : "";
    return `${words.going} ${what}: ${done.toLocaleString("en")} done${tail}.${unheard}`;
  }
  const problem = progress.problem ? ` It stopped: ${progress.problem}` : "";
  return `${words.verb} of ${what}: ${done.toLocaleString("en")} done${tail}.${problem}`;
}
