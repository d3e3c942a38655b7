// The lines of a run's log: page after page, and what has come since each time it is read again.
import { get, Problem } from "../../../../api/client";
import type { LogEntry } from "../../../../api/schema";
import { keptFrom, written } from "./lines";

const PAGE = 1_000;
export const MOST = 50_000;
const CHARACTERS = 30_000_000;
const MOST_PAGES = 500;

export class LogFeed {
  lines = $state.raw<LogEntry[]>([]);
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(true);
  /** The log is longer than what is kept here: these are the newest lines. */
  isCut = $state(false);
  private after: string | null = null;
  private isBusy = false;
  /** Asked for again while it was read: the last page may be older than that. */
  private isAsked = false;
  private readonly stop = new AbortController();

  constructor(private readonly run: string) {}

  /** Reads on from the last line to the end of the log. */
  async read(): Promise<void> {
    this.isAsked = true;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.isAsked) {
        this.isAsked = false;
        await this.readPages();
      }
      this.problem = null;
    } catch (error) {
      if (this.stop.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    } finally {
      this.isBusy = false;
      this.isLoading = false;
    }
  }

  /** Whether to read again: while the run goes on, and after the server could not answer. Not while it is read:
   * a slow answer must not be followed by another at once, nor by one that nobody wants any more. */
  mayHaveMore(isOver: boolean): boolean {
    if (this.isBusy) return false;
    return this.problem ? this.problem.isPassing : !isOver;
  }

  close(): void {
    this.stop.abort();
  }

  private async readPages(): Promise<void> {
    for (;;) {
      const page = await get("/api/v1/runs/{id}/logs", {
        path: { id: this.run },
        query: { after: this.after, limit: PAGE },
        signal: this.stop.signal,
      });
      this.add(page.items);
      if (!page.next || page.items.length === 0) return;
    }
  }

  private add(lines: LogEntry[]): void {
    const last = lines.at(-1);
    if (!last) return;
    this.after = last.offset;
    const all = [...this.lines, ...lines];
    const from = all.length > MOST / 2 ? keptFrom(all, MOST, CHARACTERS) : 0;
    if (from > 0) this.isCut = true;
    this.lines = from > 0 ? all.slice(from) : all;
  }
}

/** The whole log as text. */
export async function wholeLog(run: string, task: string): Promise<Blob> {
  const parts: string[] = [];
  let after: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const found: { items: LogEntry[]; next?: string | null } = await get("/api/v1/runs/{id}/logs", {
      path: { id: run },
      query: { after, limit: PAGE, task: task || undefined },
    });
    parts.push(found.items.map(written).join(""));
    if (!found.next || found.items.length === 0) break;
    after = found.next;
  }
  return new Blob(parts, { type: "text/plain" });
}
