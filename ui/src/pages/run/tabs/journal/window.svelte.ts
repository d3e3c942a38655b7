// The part of a journal that is loaded: steps without gaps around the place that is looked at.
import { get, Problem } from "../../../../api/client";
import type { JournalStep } from "../../../../api/schema";

const PAGE = 200;
/** What is further away is let go. */
const MOST = 4_000;

export class JournalWindow {
  steps = $state.raw<JournalStep[]>([]);
  problem = $state.raw<Problem | null>(null);
  /** Nothing was loaded yet. */
  isNew = $state(true);
  /** Steps were put in front: a list that is scrolled must not jump. */
  isShifted = $state(false);
  isAtEnd = $state(false);
  private isBusy = false;
  private reading: Promise<void> = Promise.resolve();
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
    if (this.steps.length && position >= this.first && position <= this.last) return;
    // What is read just now is beside the place: it must not keep this from being read.
    await this.reading;
    const take = (found: JournalStep[]): void => {
      this.isShifted = false;
      this.steps = found;
    };
    await this.read(Math.max(0, position - PAGE / 2), PAGE, take);
    // Long steps fill a page before it comes to the place.
    if (this.steps.length && this.last < position && !this.isAtEnd) await this.read(position, PAGE, take);
  }

  /** Also when something has happened: the last page is read again from its end. */
  async later(): Promise<void> {
    await this.read(this.last + 1, PAGE, (found) => {
      this.isShifted = false;
      this.steps = [...this.steps, ...found].slice(-MOST);
    });
  }

  async earlier(): Promise<void> {
    const from = Math.max(0, this.first - PAGE);
    if (from === this.first) return;
    await this.read(from, this.first - from, (found) => {
      this.isShifted = true;
      const all = [...found, ...this.steps];
      if (all.length > MOST) this.isAtEnd = false;
      this.steps = all.slice(0, MOST);
    });
  }

  close(): void {
    this.stop.abort();
  }

  private async read(from: number, limit: number, take: (found: JournalStep[]) => void): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.reading = this.load(from, limit, take);
    await this.reading;
  }

  private async load(from: number, limit: number, take: (found: JournalStep[]) => void): Promise<void> {
    try {
      const page = await get("/api/v1/runs/{id}/journal", {
        path: { id: this.run },
        query: { after: from > 0 ? from - 1 : undefined, limit },
        signal: this.stop.signal,
      });
      const isForward = from + limit > this.last + 1;
      if (page.items.length || this.isNew) take(page.items);
      if (isForward) this.isAtEnd = !page.next;
      this.isNew = false;
      this.problem = null;
    } catch (error) {
      if (this.stop.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    } finally {
      this.isBusy = false;
    }
  }
}
