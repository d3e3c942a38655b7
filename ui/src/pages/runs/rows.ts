// The list of runs, newest first, as pages behind each other. It is brought up to date in place: nothing in it
// moves. What has come since, and what would have to be put in between, is counted and waits to be taken.
import type { RunInfo } from "../../api/schema";

export interface Row {
  run: RunInfo;
  /** It no longer matches the filters, and stays until the list is loaded again. */
  isGone: boolean;
}

export interface Merged {
  rows: Row[];
  /** Runs of the answer that the list does not have. */
  arrivals: RunInfo[];
  /** All arrivals are newer than the first row, so they may be put above it. */
  areNewest: boolean;
}

/**
 * Brings the rows from number `from` on up to date with a page that was loaded again from there. `isLast`:
 * nothing follows the page.
 */
export function mergePage(rows: Row[], from: number, page: RunInfo[], isLast: boolean): Merged {
  const fresh = new Map(page.map((each) => [each.key, each]));
  let until = isLast ? rows.length : from;
  for (let index = rows.length - 1; index >= from && !isLast; index -= 1) {
    if (fresh.has(rows[index]?.run.key ?? "")) {
      until = index + 1;
      break;
    }
  }
  const known = new Set<string>();
  const merged = rows.map((row, index) => {
    const run = fresh.get(row.run.key);
    if (run) known.add(run.key);
    if (run) return { run, isGone: false };
    return index >= from && index < until && !row.isGone ? { ...row, isGone: true } : row;
  });
  const arrivals = page.filter((each) => !known.has(each.key));
  const first = rows[0]?.run.key;
  // Keys are in the order of creation.
  return { rows: merged, arrivals, areNewest: arrivals.every((each) => !first || each.key > first) };
}

/** A part of a list of rows of one height: which to draw, and how much room to leave above and below. */
export interface Shown {
  first: number;
  last: number;
  above: number;
  below: number;
}

const SPARE = 12;

/** `top` is how far the window is scrolled beyond the first row; it may be below 0. */
export function shownRows(top: number, height: number, row: number, count: number): Shown {
  const first = Math.min(Math.max(0, count - 1), Math.max(0, Math.floor(top / row) - SPARE));
  const last = Math.max(first, Math.min(count, Math.ceil((top + height) / row) + SPARE));
  return { first, last, above: first * row, below: (count - last) * row };
}

/** The keys between two rows, both of them too, whichever comes first. */
export function keysBetween(rows: Row[], one: string, other: string): string[] {
  const first = rows.findIndex((each) => each.run.key === one);
  const last = rows.findIndex((each) => each.run.key === other);
  if (first < 0 || last < 0) return last < 0 ? [] : [other];
  return rows.slice(Math.min(first, last), Math.max(first, last) + 1).map((each) => each.run.key);
}

/** The bar of a duration in a row: its share of the longest, on a logarithmic scale, at least 2 %. */
export function shareOf(took: number | null, longest: number): number {
  if (took === null || longest <= 0) return 0;
  const size = (seconds: number) => Math.log10(1 + seconds * 1000);
  return Math.max(0.02, Math.min(1, size(took) / size(longest)));
}
