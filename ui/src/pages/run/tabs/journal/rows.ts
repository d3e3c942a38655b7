// The steps of a journal as rows of a table. Steps that are alike and follow each other are folded into one.
import type { JournalStep } from "../../../../api/schema";
import { likeness, summed, wordsOf, type Names, type Words } from "./words";

export interface Row {
  first: number;
  last: number;
  at: string | null;
  until: string | null;
  heard: Words[];
  asked: Words[];
  problem: string;
  /** It is one of the steps of a fold that was opened. */
  isInside: boolean;
}

/** Two are not worth folding. */
const LEAST = 3;

/** `opened` has the first positions of folds that are open. */
export function rowsOf(steps: JournalStep[], names: Names, opened: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  for (let begin = 0; begin < steps.length;) {
    const like = likeness(steps[begin]!, names);
    let end = begin + 1;
    if (like !== null) while (end < steps.length && likeness(steps[end]!, names) === like) end += 1;
    const isFold = end - begin >= LEAST;
    if (isFold) rows.push(fold(steps.slice(begin, end), names));
    if (!isFold || opened.has(steps[begin]!.position))
      for (const step of steps.slice(begin, end)) rows.push(row(step, names, isFold));
    begin = end;
  }
  return rows;
}

function row(step: JournalStep, names: Names, isInside: boolean): Row {
  return {
    first: step.position,
    last: step.position,
    at: step.at,
    until: null,
    heard: step.position === 0 && !step.events.length ? [{ text: "began" }] : wordsOf(step.events, names),
    asked: wordsOf(step.requests, names),
    problem: step.problem ?? "",
    isInside,
  };
}

function fold(steps: JournalStep[], names: Names): Row {
  const [first, last] = [steps[0]!, steps.at(-1)!];
  return {
    first: first.position,
    last: last.position,
    at: first.at,
    until: last.at,
    heard: summed(
      steps.flatMap((each) => each.events),
      names,
    ),
    asked: summed(
      steps.flatMap((each) => each.requests),
      names,
    ),
    problem: "",
    isInside: false,
  };
}

export function isFold(row: Row): boolean {
  return row.last > row.first;
}

/** The row that has a position: the step itself if its fold is open, else the fold. -1 if there is none. */
export function rowOf(rows: Row[], position: number): number {
  let low = 0;
  let high = rows.length - 1;
  let found = -1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const row = rows[middle]!;
    if (row.first <= position) {
      if (row.last >= position) found = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  if (found < 0) return rows.findIndex((row) => row.first <= position && position <= row.last);
  return found;
}
