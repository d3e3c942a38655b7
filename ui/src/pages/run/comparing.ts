// Two runs side by side: their tasks by name, and what that says in a sentence.
import type { RunInfo, TaskGroup } from "../../api/schema";
import { duration, exact } from "../../text/durations";
import { counted } from "../../text/numbers";

export interface Pair {
  name: string;
  kind: string;
  left: TaskGroup | null;
  right: TaskGroup | null;
  /** How much longer the right one took, in seconds; null if that cannot be said. */
  longer: number | null;
}

/** In the order of the left run, then what only the right one has. */
export function pairsOf(left: TaskGroup[], right: TaskGroup[]): Pair[] {
  const rest = new Map(right.map((each) => [`${each.kind} ${each.name}`, each]));
  const pairs = left.map((each) => {
    const key = `${each.kind} ${each.name}`;
    const other = rest.get(key) ?? null;
    rest.delete(key);
    return pair(each, other);
  });
  return [...pairs, ...[...rest.values()].map((each) => pair(null, each))];
}

function pair(left: TaskGroup | null, right: TaskGroup | null): Pair {
  const [one, two] = [spanOf(left), spanOf(right)];
  return {
    name: left?.name ?? right?.name ?? "",
    kind: left?.kind ?? right?.kind ?? "",
    left,
    right,
    longer: one === null || two === null ? null : two - one,
  };
}

/** From the beginning of the first to the end of the last, in seconds; null if it has not ended. */
export function spanOf(group: TaskGroup | null): number | null {
  if (!group?.began_at || !group.ended_at) return null;
  return (exact(group.ended_at) - exact(group.began_at)) / 1000;
}

export function tookOf(run: RunInfo): number | null {
  if (!run.finished_at) return null;
  return (exact(run.finished_at) - exact(run.started_at ?? run.created_at)) / 1000;
}

/** `+28 s`, `−1.8 s`, `0 ms`; how much longer the right one took. */
export function differenceOf({ longer }: Pair): string {
  const text = duration(longer);
  if (longer === null || text === duration(0)) return text;
  return `${longer < 0 ? "−" : "+"}${text}`;
}

function endOf(status: string, is = "is"): string {
  if (status === "success") return "succeeded";
  if (status === "cancelled") return is === "is" ? "was cancelled" : "were cancelled";
  return status === "failed" ? "failed" : `${is} ${status}`;
}

/** Where most of the time was lost: in tasks that took longer, or that only the slower run has. */
function whereOf(pairs: Pair[], longer: number): string {
  const isRightSlower = longer > 0;
  const lost = pairs.map((each): [number, string] => {
    const own = isRightSlower ? each.right : each.left;
    const isOnlyThere = own !== null && (each.left === null || each.right === null);
    if (isOnlyThere) return [spanOf(own) ?? 0, `${each.name}, which only it has`];
    return [(each.longer ?? 0) * (isRightSlower ? 1 : -1), each.name];
  });
  const [most, name] = lost.sort(([one], [other]) => other - one)[0] ?? [0, ""];
  if (most < 0.001) return "";
  // It took more than the whole if another task took less.
  return most > Math.abs(longer) ? `, above all in ${name}` : `, ${duration(most)} of them in ${name}`;
}

/** What stands out: how they ended, which was slower and where. */
export function sentenceOf(left: RunInfo, right: RunInfo, pairs: Pair[]): string {
  const [one, two] = [tookOf(left), tookOf(right)];
  const ended =
    left.status === right.status
      ? `Both ${endOf(left.status, "are")}.`
      : `${left.id} ${endOf(left.status)}, ${right.id} ${endOf(right.status)}.`;
  const parts = [ended];
  if (one !== null && two !== null) {
    if (Math.abs(two - one) < 0.001) parts.push(`Both took ${duration(one)}.`);
    else
      parts.push(
        `${two > one ? right.id : left.id} took ${duration(Math.abs(two - one))} longer${whereOf(pairs, two - one)}.`,
      );
  }
  const only = pairs.filter((each) => !each.left || !each.right).length;
  if (only) parts.push(`${counted(only, "name")} of tasks ${only === 1 ? "is" : "are"} in one of them only.`);
  return parts.join(" ");
}
