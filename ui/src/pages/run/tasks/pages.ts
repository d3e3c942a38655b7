// The tasks of a run, page by page. A run may have 100,000: only what is looked at is loaded.
import type { TaskInfo } from "../../../api/schema";

export const PAGE = 200;
export const MOST_PAGES = 40;

/** Which pages have rows between two indexes, the last one excluded. */
export function pagesBetween(first: number, last: number, count: number): number[] {
  const from = Math.floor(Math.max(0, first) / PAGE);
  const to = Math.floor((Math.min(count, last) - 1) / PAGE);
  return to < from ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Keeps the pages that were used last. */
export class PageCache {
  private readonly pages = new Map<number, readonly TaskInfo[]>();

  get(page: number): readonly TaskInfo[] | undefined {
    const found = this.pages.get(page);
    if (found) {
      this.pages.delete(page);
      this.pages.set(page, found);
    }
    return found;
  }

  set(page: number, items: readonly TaskInfo[]): void {
    this.pages.delete(page);
    this.pages.set(page, items);
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES) break;
      this.pages.delete(oldest);
    }
  }

  has(page: number): boolean {
    return this.pages.has(page);
  }

  row(index: number): TaskInfo | undefined {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }
}

/** Rows in view, with some more at both ends. The height of a row is fixed, so that no row has to be measured. */
export function inView(
  top: number,
  height: number,
  row: number,
  count: number,
): { first: number; last: number } {
  const first = Math.max(0, Math.floor(top / row) - 10);
  return { first, last: Math.min(count, Math.ceil((top + height) / row) + 10) };
}

/** Where to scroll so that a row is in the middle; null if it is in view already. */
export function topFor(index: number, top: number, height: number, row: number): number | null {
  const isInView = index * row >= top && (index + 1) * row <= top + height;
  return isInView ? null : Math.max(0, (index + 0.5) * row - height / 2);
}

/** Browsers do not scroll elements higher than this; the rest of a list of millions is reached by its number. */
export const HIGHEST = 15_000_000;

/** What was typed as the number of a task: `412`, `[412]`, `task 412`. */
export function readNumber(text: string): number | null {
  const found = /^\s*(?:task\s*)?\[?(\d{1,12})\]?\s*$/i.exec(text);
  return found ? Number(found[1]) : null;
}
