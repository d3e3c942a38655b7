// The list of workflows: what is known of each, put together, filtered and ordered.
import type { ScheduleAnswer, StripRun, WorkflowActivity, WorkflowInfo } from "../../api/schema";

export type Activity = WorkflowActivity;
export type LastRun = StripRun;

export interface Row {
  info: WorkflowInfo;
  activity: Activity | null;
  /** When its next schedule fires, and its name. */
  next: { at: string; schedule: string } | null;
}

export const KINDS = ["code", "dag", "flow", "task"] as const;

/** A schedule may name a version: `fulfil@3`. */
export function workflowOf(schedule: Pick<ScheduleAnswer, "workflow">): string {
  return schedule.workflow.split("@", 1)[0] ?? "";
}

export function rowsOf(
  infos: WorkflowInfo[],
  activities: Activity[],
  schedules: Pick<ScheduleAnswer, "name" | "workflow" | "next_at">[],
): Row[] {
  const activityOf = new Map(activities.map((each) => [each.name, each]));
  const nextOf = new Map<string, { at: string; schedule: string }>();
  for (const schedule of schedules) {
    const name = workflowOf(schedule);
    const known = nextOf.get(name);
    if (schedule.next_at && (!known || Date.parse(schedule.next_at) < Date.parse(known.at)))
      nextOf.set(name, { at: schedule.next_at, schedule: schedule.name });
  }
  return infos.map((info) => ({
    info,
    activity: activityOf.get(info.name) ?? null,
    next: nextOf.get(info.name) ?? null,
  }));
}

/** Those whose name has all words of the text, of that kind if one is given. */
export function filtered(rows: Row[], text: string, kind: string): Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    ({ info }) =>
      (!kind || info.kind === kind) && words.every((word) => info.name.toLowerCase().includes(word)),
  );
}

export type Order = "name" | "open" | "failed" | "typical" | "next";

export function ordered(rows: Row[], by: Order): Row[] {
  if (by === "name") return rows;
  const value = (row: Row): number => {
    switch (by) {
      case "open":
        return -(row.activity?.open ?? 0);
      case "failed":
        return -(row.activity?.failed ?? 0);
      case "typical":
        return -(row.activity?.median_took ?? -1);
      case "next":
        return row.next ? Date.parse(row.next.at) : Infinity;
    }
  };
  // An infinity minus itself is not a number, so they are compared.
  return [...rows].sort((one, other) => {
    const [left, right] = [value(one), value(other)];
    return left === right ? 0 : left < right ? -1 : 1;
  });
}
