// A row of the table: a schedule, its ticks and what is not right with it.
import type { ScheduleAnswer, TicksOfSchedule } from "../../api/schema";
import { troubleOf, type Trouble, type Watched } from "./troubles";

export interface ScheduleRow {
  info: ScheduleAnswer;
  ticks: TicksOfSchedule | null;
  trouble: Trouble | null;
  /** The state that its mark shows: `running` waits for its next tick. */
  mark: string;
  /** The query of the page, which a link to the row keeps. */
  filters: Record<string, string>;
}

export const MOST_ROWS = 200;

export function watchedOf(info: ScheduleAnswer, ticks: TicksOfSchedule | null): Watched {
  return {
    name: info.name,
    is_paused: info.is_paused,
    next_at: info.next_at,
    is_active: info.is_active,
    queued: info.queued,
    problem: info.problem,
    overlap: info.plan.overlap ?? "skip",
    past: ticks?.past ?? [],
    typical_took: ticks?.typical_took ?? null,
  };
}

export function rowsOf(
  infos: ScheduleAnswer[],
  ticks: TicksOfSchedule[],
  filter: string,
  now: number,
): ScheduleRow[] {
  const ticksOf = new Map(ticks.map((each) => [each.name, each]));
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return infos
    .filter((info) => {
      const text = `${info.name} ${info.workflow}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map((info) => {
      const own = ticksOf.get(info.name) ?? null;
      const trouble = troubleOf(watchedOf(info, own), now);
      return { info, ticks: own, trouble, mark: markOf(info, trouble), filters: { q: filter } };
    });
}

function markOf(info: ScheduleAnswer, trouble: Trouble | null): string {
  if (info.is_paused) return "paused";
  if (trouble?.kind === "overdue") return "parked";
  if (trouble?.kind === "failed") return "failed";
  return info.next_at === null ? "cancelled" : "running";
}

/**
 * The one that is shown below: the one of the URL, else the one that was shown before, so that it does not change
 * while somebody reads it, else the first with a trouble, else the first.
 */
export function chosenOf(rows: ScheduleRow[], name: string, before: string): ScheduleRow | null {
  const named = (wanted: string) => rows.find((row) => row.info.name === wanted);
  return named(name) ?? named(before) ?? rows.find((row) => row.trouble !== null) ?? rows[0] ?? null;
}
