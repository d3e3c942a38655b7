// Where keys lead from what is chosen in a run.
import type { Group } from "./groups";

export interface Chosen {
  task: number | null;
  name: string;
}

function pick(group: Group): Chosen {
  return { task: group.kind === "task" && group.count === 1 ? group.first_seq : null, name: group.name };
}

/** The group that a selection belongs to; -1 for none. */
export function groupAt(groups: readonly Group[], chosen: Chosen): number {
  const byName = groups.findIndex((each) => each.name === chosen.name && chosen.name !== "");
  if (byName >= 0 || chosen.task === null) return byName;
  const seq = chosen.task;
  return groups.findIndex((each) => each.kind === "task" && each.first_seq <= seq && seq <= each.last_seq);
}

/** The next or previous row; from nothing, the first or the last. */
export function beside(groups: readonly Group[], chosen: Chosen, step: 1 | -1): Chosen | null {
  if (groups.length === 0) return null;
  const here = groupAt(groups, chosen);
  const next = here < 0 ? (step === 1 ? 0 : groups.length - 1) : here + step;
  const group = groups[next];
  return group ? pick(group) : null;
}

/** What the run waits for: a question first, then what runs, then what has not begun. */
export function waitedFor(groups: readonly Group[]): Chosen | null {
  const open = groups.filter((each) => each.ended_at === null);
  const found =
    open.find((each) => each.kind === "promise") ??
    open.find((each) => each.states.running > 0) ??
    open.find((each) => each.states.pending + each.states.dispatched > 0);
  return found ? pick(found) : null;
}
