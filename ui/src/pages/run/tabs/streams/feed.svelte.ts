// The newest items of a stream, and those before them when they are asked for.
import { get, Problem } from "../../../../api/client";
import type { StreamItem } from "../../../../api/schema";
import { behindNewest } from "./places";

const PAGE = 200;
const MOST = 5_000;

export class StreamFeed {
  items = $state.raw<StreamItem[]>([]);
  problem = $state.raw<Problem | null>(null);
  isNew = $state(true);
  private isBusy = false;
  private readonly stop = new AbortController();

  constructor(
    private readonly run: string,
    private readonly name: string,
  ) {}

  get first(): number | null {
    return this.items[0]?.offset ?? null;
  }

  /** What has come since. `end` is the offset behind the last item that there is. */
  async later(first: number, end: number): Promise<void> {
    const last = this.items.at(-1);
    const after = last ? last.offset : behindNewest(first, end, PAGE);
    if (last && last.offset >= end - 1) return;
    await this.read(after, PAGE, (found) => {
      this.items = [...this.items, ...found].slice(-MOST);
    });
  }

  /** The items before those that are here; those that are further away are let go. */
  async earlier(first: number): Promise<void> {
    const from = this.first;
    if (from === null || from <= first) return;
    const after = behindNewest(first, from, PAGE);
    await this.read(after, from - 1 - (after ?? -1), (found) => {
      const before = found.filter((each) => each.offset < from);
      this.items = [...before, ...this.items].slice(0, MOST);
    });
  }

  close(): void {
    this.stop.abort();
  }

  private async read(
    after: number | null,
    limit: number,
    take: (found: StreamItem[]) => void,
  ): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const page = await get("/api/v1/runs/{id}/streams/{name}", {
        path: { id: this.run, name: this.name },
        query: { after: after ?? undefined, limit },
        signal: this.stop.signal,
      });
      if (page.items.length) take(page.items);
      this.problem = null;
      this.isNew = false;
    } catch (error) {
      if (this.stop.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    } finally {
      this.isBusy = false;
    }
  }
}
