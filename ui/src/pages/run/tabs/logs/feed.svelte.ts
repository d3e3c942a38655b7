// The lines of a run's log: page after page, and then as they come.
import { addressOf, get, namespaceHeader, Problem } from "../../../../api/client";
import { EventReader } from "../../../../api/events";
import type { LogEntry } from "../../../../api/schema";
import { keptFrom, written } from "./lines";

const PAGE = 1_000;
export const MOST = 50_000;
const CHARACTERS = 30_000_000;
const MOST_PAGES = 500;
const AGAIN = 2_000;

export class LogFeed {
  lines = $state.raw<LogEntry[]>([]);
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(true);
  /** The log is longer than what is kept here: these are the newest lines. */
  isCut = $state(false);
  private after: string | null = null;
  private waiting: LogEntry[] = [];
  private isDrawing = false;
  private readonly stop = new AbortController();

  constructor(
    private readonly run: string,
    private readonly isOver: () => boolean,
  ) {}

  /** Reads what is there and then follows, until `close`. */
  async start(): Promise<void> {
    while (!this.stop.signal.aborted) {
      try {
        await this.readPages();
        this.problem = null;
        this.isLoading = false;
        if (this.isOver()) return;
        try {
          await this.follow();
        } finally {
          // What is read next begins behind them.
          this.draw();
        }
        if (this.isOver()) await this.readPages();
      } catch (error) {
        if (this.stop.signal.aborted) return;
        this.isLoading = false;
        if (error instanceof Problem) this.problem = error;
        if (error instanceof Problem && !error.isPassing) return;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
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

  private async follow(): Promise<void> {
    const headers: Record<string, string> = { Accept: "text/event-stream", ...namespaceHeader() };
    if (this.after) headers["Last-Event-ID"] = this.after;
    const address = addressOf(
      "/api/v1/runs/{id}/logs",
      { id: this.run },
      { follow: true, after: this.after },
    );
    const answer = await fetch(address, { headers, signal: this.stop.signal, credentials: "same-origin" });
    if (!answer.ok || !answer.body) return;
    let hasEnded = false;
    const reader = new EventReader((event) => {
      if (event.event === "end" || event.event === "error" || event.event === "lagged") hasEnded = true;
      else this.hear(event.id, event.data);
    });
    const body = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    while (!hasEnded) {
      const { done, value } = await body.read();
      if (done) return;
      reader.feed(value);
    }
    await body.cancel();
  }

  private hear(id: string | null, data: string): void {
    const line = JSON.parse(data) as LogEntry;
    this.waiting.push(line.offset ? line : { ...line, offset: id ?? "" });
    if (this.isDrawing) return;
    this.isDrawing = true;
    // Lines are drawn four times a second at most.
    setTimeout(() => {
      this.isDrawing = false;
      this.draw();
    }, 250);
  }

  private draw(): void {
    this.add(this.waiting.splice(0));
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
