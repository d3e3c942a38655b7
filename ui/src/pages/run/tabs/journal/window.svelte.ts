// The part of a journal that is loaded: steps without gaps around the place that is looked at.
import { get, Problem } from "../../../../api/client";
import type { JournalStep } from "../../../../api/schema";

const PAGE = 200;
/** What is further away is let go. */
const MOST = 4_000;

interface Found {
  steps: JournalStep[];
  /** The journal goes on after them. */
  hasMore: boolean;
}

export class JournalWindow {
  steps = $state.raw<JournalStep[]>([]);
  problem = $state.raw<Problem | null>(null);
  /** Nothing was loaded yet. */
  isNew = $state(true);
  /** Steps were put in front: a list that is scrolled must not jump. */
  isShifted = $state(false);
  isAtEnd = $state(false);
  private isBusy = false;
  /** What is read takes the place of what is here. */
  private isJump = false;
  /** Something has happened while a page was read, which may not have it. */
  private hasGrown = false;
  private reading: Promise<void> = Promise.resolve();
  /** So many steps fit into a page of the server: fewer than are asked for, if they are large. */
  private fits = PAGE;
  private readonly stop = new AbortController();

  constructor(private readonly run: string) {}

  get first(): number {
    return this.steps[0]?.position ?? 0;
  }
  get last(): number {
    return this.steps.at(-1)?.position ?? -1;
  }

  /** Load what is around a position, unless it is there. */
  async jump(position: number): Promise<void> {
    const isHere = () => this.steps.length > 0 && position >= this.first && position <= this.last;
    // What is read just now is beside the place, or takes what is here away.
    while (this.isBusy && (this.isJump || !isHere())) await this.reading;
    if (isHere()) return;
    const from = Math.max(0, position - Math.floor(this.fits / 2));
    const reading = this.read(from, position + 1, PAGE, ({ steps, hasMore }) => {
      if (!steps.length && !this.isNew) return;
      this.isShifted = false;
      this.steps = steps;
      this.isAtEnd = !hasMore;
    });
    this.isJump = true;
    await reading;
  }

  /** The run goes on: what it has added is read if the end of the journal is loaded. */
  async grow(): Promise<void> {
    if (this.isBusy) this.hasGrown = true;
    else if (this.isAtEnd) await this.later();
  }

  async later(): Promise<void> {
    const from = this.last + 1;
    await this.read(from, from, PAGE, ({ steps, hasMore }) => {
      if (steps.length) {
        this.isShifted = false;
        this.steps = [...this.steps, ...steps].slice(-MOST);
      }
      this.isAtEnd = !hasMore;
    });
  }

  async earlier(): Promise<void> {
    const until = this.first;
    const from = Math.max(0, until - this.fits);
    if (from === until) return;
    await this.read(from, until, until - from, ({ steps }) => {
      if (!steps.length) return;
      this.isShifted = true;
      const all = [...steps, ...this.steps];
      if (all.length > MOST) this.isAtEnd = false;
      this.steps = all.slice(0, MOST);
    });
  }

  close(): void {
    this.stop.abort();
  }

  private async read(
    from: number,
    until: number,
    limit: number,
    take: (found: Found) => void,
  ): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.isJump = false;
    this.reading = this.load(from, until, limit, take);
    await this.reading;
  }

  private async load(
    from: number,
    until: number,
    limit: number,
    take: (found: Found) => void,
  ): Promise<void> {
    try {
      take(await this.readUntil(from, until, limit));
      this.isNew = false;
      this.problem = null;
    } catch (error) {
      if (this.stop.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    } finally {
      this.isBusy = false;
      if (this.hasGrown) {
        this.hasGrown = false;
        void this.grow();
      }
    }
  }

  /** A page of large steps ends early: pages are read until the steps before `until` are there without a gap. */
  private async readUntil(from: number, until: number, limit: number): Promise<Found> {
    const steps: JournalStep[] = [];
    for (let start = from; ;) {
      const wanted = limit - steps.length;
      const page = await get("/api/v1/runs/{id}/journal", {
        path: { id: this.run },
        query: { after: start > 0 ? start - 1 : undefined, limit: wanted },
        signal: this.stop.signal,
      });
      steps.push(...page.items);
      const hasMore = Boolean(page.next);
      const last = page.items.at(-1);
      if (hasMore && last && page.items.length < wanted) this.fits = page.items.length;
      else if (wanted === limit) this.fits = Math.min(PAGE, Math.max(this.fits, 2 * wanted));
      if (!last || !hasMore || last.position + 1 >= until) return { steps, hasMore };
      start = last.position + 1;
    }
  }
}
