// The runs that are listed: pages as one scrolls, up to date, and nothing moves under the hand.
import { tick, untrack } from "svelte";
import { get, Problem } from "../../api/client";
import type { RunInfo } from "../../api/schema";
import { clock } from "../../state/clock.svelte";
import { live, type Pulse } from "../../state/live.svelte";
import { router } from "../../state/router.svelte";
import { session } from "../../state/session.svelte";
import { conditionsOf } from "./conditions";
import type { Token } from "./filters";
import { mergePage, type Row } from "./rows";

const PAGE = 100;
/** Whoever looks for more has a filter to add. */
export const MOST = 5_000;
const EVERY = 2_000;

interface Page {
  after: string | null;
  from: number;
}

/** What the list had when it was left, for Back: otherwise the place that one was at is not loaded. */
let left: { of: string; by: unknown; rows: Row[]; pages: Page[]; next: string | null } | null = null;

export class RunList {
  rows = $state.raw<Row[]>([]);
  /** Runs that match and are not in the list: newer ones, and those that only match now. */
  arrivals = $state.raw<RunInfo[]>([]);
  /** There may be more arrivals than were loaded. */
  areMore = $state(false);
  isLoading = $state(false);
  /** There is something behind the last row. */
  hasNext = $state(false);
  isWhole = $state(false);
  problem = $state.raw<Problem | null>(null);
  /** Whether new runs may be put above the first row now. */
  mayMove: () => boolean = () => true;
  /** Numbers of the first and the last row in view. */
  inView: () => [number, number] = () => [0, 0];
  private tokens: Token[] = [];
  private pages: Page[] = [];
  private next: string | null = null;
  private stop: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastAt = 0;

  /** Call it while the page is set up: other filters load the list again, a server that is back refreshes it. */
  follow(tokens: () => Token[]): void {
    $effect(() => {
      const now = tokens();
      untrack(() => void this.restart(now));
    });
    let resets = untrack(() => live.resets);
    $effect(() => {
      if (live.resets === resets) return;
      resets = live.resets;
      // The rows that one reads stay where they are.
      untrack(() => void (this.isWhole ? this.refresh() : this.restart()));
    });
    $effect(() => {
      const leave = live.listen((pulse) => this.hear(pulse));
      return () => {
        leave();
        clearTimeout(this.timer);
        this.stop?.abort();
        if (this.isWhole) left = { ...this.mine(), rows: this.rows, pages: this.pages, next: this.next };
      };
    });
  }

  async restart(tokens: Token[] = this.tokens): Promise<void> {
    this.tokens = tokens;
    this.stop?.abort();
    this.stop = new AbortController();
    if (!this.isWhole && (await this.comeBack())) return;
    const page = await this.load(null, this.stop.signal);
    if (!page) return;
    this.rows = page.items.map((run) => ({ run, isGone: false }));
    this.pages = [{ after: null, from: 0 }];
    this.take(page.next ?? null);
    this.arrivals = [];
    this.areMore = false;
    this.isWhole = true;
    // A page looks at so many runs at most: it may be short and not the last.
    if (this.rows.length < PAGE && this.hasNext) await this.more();
  }

  /** Of which runs the list is, and for whom. */
  private mine() {
    return { of: JSON.stringify([session.namespace, this.tokens]), by: session.caller };
  }

  /** After Back: the rows that were there, where they were, and then what has changed. */
  private async comeBack(): Promise<boolean> {
    const { of, by } = this.mine();
    const top = router.scrolledTo;
    if (!top || left?.of !== of || left.by !== by) return false;
    [this.rows, this.pages] = [left.rows, left.pages];
    this.take(left.next);
    this.isWhole = true;
    await tick();
    scrollTo(0, top);
    void this.refresh();
    return true;
  }

  /** The next page. */
  async more(): Promise<void> {
    if (this.isLoading || this.next === null || this.rows.length >= MOST || !this.stop) return;
    const { signal } = this.stop;
    const after = this.next;
    const page = await this.load(after, signal);
    if (!page) return;
    this.pages.push({ after, from: this.rows.length });
    const known = new Set(this.rows.map((each) => each.run.key));
    const added = page.items.filter((each) => !known.has(each.key));
    this.rows = [...this.rows, ...added.map((run) => ({ run, isGone: false }))];
    this.take(page.next ?? null);
  }

  private take(next: string | null): void {
    this.next = next;
    this.hasNext = next !== null;
  }

  private async load(after: string | null, signal: AbortSignal) {
    this.isLoading = true;
    try {
      const query = { ...conditionsOf(this.tokens, clock.exact()), after, limit: PAGE };
      const page = await get("/api/v1/runs", { query, signal });
      if (signal.aborted) return null;
      this.problem = null;
      return page;
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
      return null;
    } finally {
      if (!signal.aborted) this.isLoading = false;
    }
  }

  private hear(pulse: Pulse): void {
    if (!pulse.runs.length && !pulse.is_cut) return;
    if (this.timer !== undefined || document.hidden || !this.isWhole) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        if (live.state !== "held") void this.refresh();
      },
      Math.max(0, this.lastAt + EVERY - Date.now()),
    );
  }

  /** Loads again what is in view, and the first page, which tells what is new. */
  private async refresh(): Promise<void> {
    if (!this.stop || this.isLoading) return;
    const { signal } = this.stop;
    this.lastAt = Date.now();
    const [first, last] = this.inView();
    const seen = this.pages.filter((each, index) => {
      const end = this.pages[index + 1]?.from ?? Infinity;
      return index === 0 || (each.from <= last && end > first);
    });
    for (const page of seen.slice(0, 3)) {
      const answer = await this.load(page.after, signal);
      if (!answer) return;
      const merged = mergePage(this.rows, page.from, answer.items, answer.next === null);
      this.rows = merged.rows;
      if (page.after === null) this.greet(merged.arrivals, merged.areNewest, answer.items.length);
    }
  }

  private greet(arrivals: RunInfo[], areNewest: boolean, size: number): void {
    const isGap = arrivals.length === size && size > 0 && this.rows.length > 0;
    if (arrivals.length && areNewest && !isGap && this.mayMove()) {
      this.rows = [...arrivals.map((run) => ({ run, isGone: false })), ...this.rows].slice(0, MOST + PAGE);
      this.pages = this.pages.map((each) =>
        each.after === null ? each : { ...each, from: each.from + arrivals.length },
      );
      this.arrivals = [];
      this.areMore = false;
    } else if (arrivals.length && isGap && this.mayMove()) {
      void this.restart();
    } else {
      this.arrivals = arrivals;
      this.areMore = isGap;
    }
  }
}
