// The newest lines of a log that can only be read from its beginning on: it is read once, and then only what is new.
import type { LogEntry } from "../../../api/schema";

type Read = (after: string | null, signal: AbortSignal) => Promise<LogEntry[]>;

export class LastLines {
  lines: LogEntry[] = [];
  /** How many lines were read so far. */
  count = 0;
  /** There are more lines than were read. */
  isBehind = false;
  private after: string | null = null;

  constructor(
    private readonly read: Read,
    private readonly kept: number,
    /** So many pages are read at a time, so that a log without an end keeps nobody busy. */
    private readonly pages: number,
  ) {}

  async advance(signal: AbortSignal): Promise<void> {
    this.isBehind = true;
    for (let page = 0; page < this.pages; page += 1) {
      const items = await this.read(this.after, signal);
      // Another reading has begun, from the same place.
      if (signal.aborted) return;
      if (items.length === 0) {
        this.isBehind = false;
        return;
      }
      this.lines = [...this.lines, ...items].slice(-this.kept);
      this.count += items.length;
      this.after = items.at(-1)?.offset ?? this.after;
    }
  }
}
