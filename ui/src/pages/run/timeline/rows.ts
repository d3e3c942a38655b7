// The rows of the timeline and their bars, from what the server knows of groups, tasks and attempts.
import type { AttemptInfo, TaskGroup, TaskInfo } from "../../../api/schema";
import type { Group } from "../groups";
import { duration, exact } from "../../../text/durations";
import { counted } from "../../../text/numbers";
import type { Interval } from "./scale";

/** How a bar looks: work is full, waits are hatched, a child has a double outline. */
export type Look = "done" | "running" | "bad" | "lost" | "wait" | "person" | "child" | "off";

export interface Bar extends Interval {
  look: Look;
  /** What it is, for its title. */
  text: string;
  seq: number | null;
  /** Bars of tasks that overlap in time lie below each other. */
  lane: number;
}
export interface Row {
  name: string;
  kind: string;
  count: number;
  /** The number of its only task. */
  seq: number | null;
  state: string;
  /** What it waits for, as the mark needs it. */
  waiting: string | null;
  bars: Bar[];
  lanes: number;
  /** It is drawn as how many ran at once. */
  isBusy: boolean;
  note: string;
  /** When the next attempt begins. */
  retryAt: number | null;
}

/** Up to so many tasks of a name are drawn one by one. */
export const MOST_BARS = 24;

type Task = Pick<
  TaskInfo,
  "seq" | "status" | "attempt" | "created_at" | "started_at" | "finished_at" | "retry_at"
>;

const OPEN = ["running", "dispatched", "pending"] as const;
const ENDED = ["failed", "cancelled", "success", "skipped"] as const;

/** One state for all of a group: what went wrong counts most, then what is under way. */
export function stateOf(states: TaskGroup["states"]): string {
  if (states.failed > 0) return "failed";
  return OPEN.find((each) => states[each] > 0) ?? ENDED.find((each) => states[each] > 0) ?? "pending";
}

/** A group of one, as the task that it is. */
export function taskOf(group: Group): Task {
  return {
    seq: group.first_seq,
    status: stateOf(group.states) as TaskInfo["status"],
    attempt: group.retried + 1,
    created_at: group.asked_at,
    started_at: group.began_at,
    finished_at: group.ended_at,
    retry_at: null,
  };
}

/** A task from its request on: waits, attempts that did not succeed, and the last one. */
export function barsOf(task: Task, attempts: readonly AttemptInfo[], now: number): Bar[] {
  const bars: Bar[] = [];
  let reached = exact(task.created_at);
  const add = (from: number, to: number, look: Look, text: string): void => {
    if (to > from || look !== "wait")
      bars.push({ from, to: Math.max(from, to), look, text, seq: task.seq, lane: 0 });
    reached = Math.max(reached, to);
  };
  const isEnded = task.finished_at !== null;
  const earlier = attempts
    .filter((each) => each.seq === task.seq && each.status !== "success")
    .filter((each) => !(isEnded && each.attempt === task.attempt))
    .sort((one, other) => one.attempt - other.attempt);
  for (const attempt of earlier) {
    const from = Math.max(reached, exact(attempt.started_at ?? attempt.finished_at));
    const to = Math.max(from, exact(attempt.finished_at));
    add(reached, from, "wait", bars.length ? "backoff" : "waited to begin");
    const look = attempt.status === "lost" ? "lost" : "bad";
    add(from, to, look, `attempt ${attempt.attempt}, ${attempt.problem ?? attempt.status}`);
  }
  const began = task.started_at === null ? null : exact(task.started_at);
  const isUnderWay = began !== null && (isEnded || task.status === "running") && began >= reached - 1;
  if (isUnderWay) {
    add(reached, began, "wait", earlier.length ? "backoff" : "waited to begin");
    const to = task.finished_at === null ? now : exact(task.finished_at);
    add(began, to, lookOf(task.status), `${task.status}, ${duration((to - began) / 1000)}`);
  } else if (!isEnded) {
    const until = task.retry_at === null ? now : Math.max(now, exact(task.retry_at));
    add(reached, until, "wait", task.retry_at === null ? "waits to begin" : "backoff");
  }
  return bars;
}

function lookOf(status: string): Look {
  if (status === "success") return "done";
  if (status === "failed") return "bad";
  return status === "running" ? "running" : "off";
}

/** Promises, timers and the like work nowhere: they are waited for. */
function waitBars(group: Group, now: number): Bar[] {
  const from = exact(group.asked_at);
  const to = group.ended_at === null ? now : exact(group.ended_at);
  const isChild = group.kind === "child";
  const look = isChild ? "child" : group.kind === "promise" ? "person" : "wait";
  return [{ from, to, look, text: `${group.kind}, ${duration((to - from) / 1000)}`, seq: null, lane: 0 }];
}

/** The bars of tasks below each other where they overlap, in as few lanes as can be. */
function packed(tasks: readonly Bar[][]): { bars: Bar[]; lanes: number } {
  const ends: number[] = [];
  const bars = tasks.flatMap((own) => {
    const [from, to] = [Math.min(...own.map((bar) => bar.from)), Math.max(...own.map((bar) => bar.to))];
    const free = ends.findIndex((end) => end <= from);
    const lane = free < 0 ? ends.length : free;
    if (own.length > 0) ends[lane] = to;
    return own.map((bar) => ({ ...bar, lane }));
  });
  return { bars, lanes: Math.max(1, ends.length) };
}

export interface Known {
  groups: readonly Group[];
  /** All tasks of the run, or none if there are too many. */
  tasks: readonly TaskInfo[];
  attempts: readonly AttemptInfo[];
  now: number;
}

export function rowsOf({ groups, tasks, attempts, now }: Known): Row[] {
  const byName = Map.groupBy(tasks, (each) => each.name);
  return groups.map((group) => {
    const own = group.kind === "task" ? (byName.get(group.name) ?? []) : [];
    const isBusy =
      group.kind === "task" && group.count > 1 && (group.count > MOST_BARS || own.length < group.count);
    const only = group.count === 1 ? (own[0] ?? taskOf(group)) : null;
    const drawn = packed(
      group.kind !== "task"
        ? [waitBars(group, now)]
        : isBusy
          ? []
          : (only ? [only] : own).map((each) => barsOf(each, attempts, now)),
    );
    const state = stateOf(group.states);
    const retryAt = only?.retry_at ? exact(only.retry_at) : null;
    return {
      name: group.name,
      kind: group.kind,
      count: group.count,
      seq: only && group.kind === "task" ? group.first_seq : null,
      state: retryAt === null ? state : "running",
      waiting: group.kind === "promise" ? "promise" : retryAt !== null ? "backoff" : waitOf(group),
      ...drawn,
      isBusy,
      note: noteOf(group, attempts, now),
      retryAt,
    };
  });
}

/** A mark of what waits and goes on by itself. */
function waitOf(group: Group): string | null {
  return group.kind === "timer" || group.kind === "signal" ? group.kind : null;
}

function noteOf(group: Group, attempts: readonly AttemptInfo[], now: number): string {
  const begin = group.kind === "task" ? group.began_at : group.asked_at;
  if (begin === null) return "";
  const end = group.ended_at === null ? now : exact(group.ended_at);
  const took = duration(Math.max(0, (end - exact(begin)) / 1000));
  if (group.count > 1) {
    const parts = [took];
    if (group.retried) parts.push(`${counted(group.retried, "was", "were")} tried again`);
    if (group.slowest_took !== null) parts.push(`slowest ${duration(group.slowest_took)}`);
    return parts.join(", ");
  }
  if (group.kind === "promise")
    return group.ended_at === null ? `waits for ${took}` : `answered after ${took}`;
  if (group.kind === "child") return `child run, ${took}`;
  if (group.kind === "timer") return group.ended_at === null ? `sleeps for ${took}` : took;
  if (group.kind === "signal") return group.ended_at === null ? `waits for ${took}` : `came after ${took}`;
  const tries = attempts.filter((each) => each.seq === group.first_seq).length;
  return tries > 1 || group.retried
    ? `${took}, ${counted(Math.max(tries, group.retried + 1), "attempt")}`
    : took;
}

/** The stretches in which something worked: what the axis must show. */
export function workOf(rows: readonly Row[], groups: readonly Group[], now: number): Interval[] {
  const bars = rows.flatMap((row) =>
    row.bars
      .filter((bar) => bar.look !== "wait" && bar.look !== "person")
      .map(({ from, to }) => ({ from, to })),
  );
  const busy = groups
    .filter((group, index) => rows[index]?.isBusy && group.began_at !== null)
    .map((group) => ({
      from: exact(group.began_at ?? ""),
      to: group.ended_at === null ? now : exact(group.ended_at),
    }));
  return [...bars, ...busy];
}

/** The numbers of tasks whose attempts are worth asking for, at most 200. */
export function triedAgain(groups: readonly TaskGroup[], tasks: readonly TaskInfo[]): number[] {
  const drawn = new Set(groups.filter((each) => each.count <= MOST_BARS).map((each) => each.name));
  const of =
    tasks.length > 0
      ? tasks
          .filter((each) => drawn.has(each.name) && (each.attempt > 1 || each.lost > 0))
          .map((each) => each.seq)
      : groups
          .filter((each) => each.count === 1 && each.kind === "task" && (each.retried || each.lost))
          .map((each) => each.first_seq);
  return of.slice(0, 200);
}
