// What the options of a plan mean, in words.
import type { SchedulePlan } from "../../api/schema";
import { duration } from "../../text/durations";
import { inZone, moveOf, placeOf, type ClockChange } from "../../text/zones";

type PlanOptions = Omit<SchedulePlan, "cron"> & { cron: string | null };

const OVERLAPS: Record<string, string> = {
  skip: "a tick is skipped while the run before has not ended",
  allow: "a tick starts its run, whether or not the run before has ended",
  queue: "a tick waits until the run before has ended",
  cancel_previous: "a tick cancels the run before, and starts its own when that one has ended",
};

export function overlapWords(plan: Pick<PlanOptions, "overlap">): string {
  return OVERLAPS[plan.overlap ?? "skip"] ?? "";
}

export function catchupWords(plan: Pick<PlanOptions, "catchup" | "catchup_most">): string {
  if (plan.catchup === "none") return "ticks that no node was up to see start no run";
  if (plan.catchup === "last") return "of the ticks that no node was up to see, the newest starts a run";
  return `of the ticks that no node was up to see, the newest ${plan.catchup_most} start a run each`;
}

/** Whether the expression names a rhythm rather than times of the day: clock changes treat the two differently. */
export function isRhythm(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  if (fields[0]?.startsWith("@")) return fields[0].toLowerCase() === "@hourly";
  const upToHour = fields.length === 6 ? fields.slice(0, 3) : fields.slice(0, 2);
  return upToHour.some((field) => field.startsWith("*"));
}

/** What happens when the clocks are changed. `changes` are those that come. */
export function clockWords(plan: Pick<PlanOptions, "cron" | "timezone">, changes: ClockChange[]): string {
  if (!plan.cron) return "It counts elapsed time, so changes of the clocks make no difference.";
  const place = placeOf(plan.timezone);
  const next = changes[0];
  if (!next)
    return `${place} does not change its clocks within a year. Nothing is skipped, nothing fires twice.`;
  // As the clocks show it that moment, before they are changed.
  const { day, time } = inZone(Date.parse(next.at) + next.before * 1000, "UTC");
  const when = `The clocks of ${place} ${moveOf(next)} on ${day} at ${time}.`;
  const isForward = next.after > next.before;
  if (isRhythm(plan.cron))
    return `${when} ${isForward ? "Ticks in the time that is left out do not fire." : "Ticks in the time that comes twice fire twice."}`;
  return `${when} ${isForward ? "Ticks in the time that is left out fire at that moment, once." : "Ticks in the time that comes twice fire the first time only."}`;
}

export function jitterWords(jitter: number): string {
  return `up to ${duration(jitter)} later than the tick, always the same for one tick`;
}
