// What the table of tasks has loaded. Without filters, and if the numbers of the tasks have no holes, any place of
// the list can be jumped to. Otherwise the list grows from where it began.
import { get, Problem } from "../../../api/client";
import type { TaskInfo } from "../../../api/schema";
import { PAGE, PageCache, pagesBetween } from "./pages";

export interface Asked {
  run: string;
  /** Only tasks of this name; "" for all. */
  name: string;
  states: string[];
  /** The number to begin with, if the list is filtered or has holes. */
  from: number;
}

export class TaskList {
  problem = $state.raw<Problem | null>(null);
  /** Counts loads, so that what reads `row` is drawn again. */
  private version = $state(0);
  private cache = new PageCache();
  private readonly loading = new Set<number>();
  private chain: TaskInfo[] = [];
  private isWhole = $state(false);
  private isBusy = false;
  private readonly stop = new AbortController();

  constructor(
    readonly asked: Asked,
    /** How many tasks there are, if any place can be jumped to; null otherwise. */
    private readonly total: number | null,
  ) {}

  get count(): number {
    void this.version;
    return this.total ?? this.chain.length;
  }

  get hasMore(): boolean {
    return this.total === null && !this.isWhole;
  }

  row(index: number): TaskInfo | undefined {
    void this.version;
    return this.total === null ? this.chain[index] : this.cache.row(index);
  }

  /** Where the task with this number is, as far as that is known; -1 if it is not. */
  indexOf(seq: number): number {
    void this.version;
    if (this.total !== null) return seq < this.total ? seq : -1;
    return this.chain.findIndex((each) => each.seq === seq);
  }

  /** Load what is missing between two rows. */
  async show(first: number, last: number): Promise<void> {
    if (this.total === null) {
      if (last >= this.chain.length - 20 && !this.isWhole) await this.grow();
      return;
    }
    const missing = pagesBetween(first, last, this.total).filter(
      (page) => !this.cache.has(page) && !this.loading.has(page),
    );
    await Promise.all(missing.map((page) => this.load(page)));
  }

  /** Something changed: load the rows between these again. */
  async refresh(first: number, last: number): Promise<void> {
    if (this.total !== null) {
      await Promise.all(pagesBetween(first, last, this.total).map((page) => this.load(page)));
      return;
    }
    const [begin, end] = [Math.max(0, first), Math.min(this.chain.length, last)];
    const from = this.chain[begin]?.seq;
    if (from === undefined) return this.grow();
    const items = await this.read(from - 1, Math.min(1_000, Math.max(1, end - begin)));
    if (!items) return;
    const bySeq = new Map(items.map((each) => [each.seq, each]));
    this.chain = this.chain.map((each) => bySeq.get(each.seq) ?? each);
    this.version += 1;
    if (this.isWhole) {
      this.isWhole = false;
      await this.grow();
    }
  }

  close(): void {
    this.stop.abort();
  }

  private async load(page: number): Promise<void> {
    this.loading.add(page);
    const items = await this.read(page * PAGE - 1, PAGE);
    this.loading.delete(page);
    if (!items) return;
    this.cache.set(page, items);
    this.version += 1;
  }

  private async grow(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    const items = await this.read(this.chain.at(-1)?.seq ?? this.asked.from - 1, PAGE);
    this.isBusy = false;
    if (!items) return;
    this.chain = [...this.chain, ...items];
    this.isWhole = items.length < PAGE;
    this.version += 1;
  }

  private async read(after: number, limit: number): Promise<TaskInfo[] | null> {
    const { run, name, states } = this.asked;
    try {
      const page = await get("/api/v1/runs/{id}/tasks", {
        path: { id: run },
        query: {
          after: after < 0 ? undefined : after,
          limit,
          name: name || undefined,
          status: states.length ? (states as TaskInfo["status"][]) : undefined,
        },
        signal: this.stop.signal,
      });
      this.problem = null;
      return page.items;
    } catch (error) {
      if (this.stop.signal.aborted) return null;
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
      return null;
    }
  }
}
