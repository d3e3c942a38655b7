// What is being done to many runs: jobs of the server, and a few runs one after the other. It goes on while one
// looks at other pages.
import { get, post, Problem } from "../../api/client";
import type { BulkJob } from "../../api/schema";
import { progressText, type ActWords } from "./acts";

export interface Refused {
  run: string;
  message: string;
}

const POLL = 700;
/** So often, while the server does not answer. */
const POLL_UNHEARD = 5_000;
/** After so many questions without an answer the page says so. */
const UNHEARD = 4;
const AT_ONCE = 4;
const KEPT_REFUSALS = 50;
const MOST = 5;

export class Work {
  total = $state<number | null>(null);
  done = $state(0);
  refusals = $state(0);
  refused = $state.raw<Refused[]>([]);
  isOver = $state(false);
  /** The server has not answered for some seconds: the job may go on all the same. */
  isUnheard = $state(false);
  problem = $state("");
  endsAt = $state<string | null>(null);
  private isStopped = false;
  private isDropped = false;

  constructor(
    readonly words: ActWords,
    /** The id of the server's job; "" if the page does it itself. */
    readonly job: string,
  ) {}

  get sentence(): string {
    return progressText({ ...this.shape, words: this.words });
  }

  private get shape() {
    const { total, done, isOver, isUnheard, problem } = this;
    return { total, done, refused: this.refusals, isOver, isUnheard, problem };
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.job) await post("/api/v1/bulk/{id}/cancel", { path: { id: this.job }, body: { reason: "" } });
  }

  /** Nobody looks at it any more. */
  drop(): void {
    this.isDropped = true;
  }

  /** Follows a job of the server to its end, or until it is dropped: a server that is away may come back. */
  async watch(): Promise<void> {
    for (let failures = 0; !this.isOver && !this.isDropped;) {
      try {
        this.take(await get("/api/v1/bulk/{id}", { path: { id: this.job } }));
        failures = 0;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (!error.isPassing) {
          this.problem = error.message;
          break;
        }
        failures += 1;
      }
      this.isUnheard = failures >= UNHEARD;
      const pause = this.isUnheard ? POLL_UNHEARD : POLL;
      if (!this.isOver) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    if (this.isDropped) return;
    if (this.refusals) await this.readRefusals();
    this.isOver = true;
  }

  private take(job: BulkJob): void {
    this.total = job.matched;
    this.done = job.done;
    this.refusals = job.failed;
    this.endsAt = job.ends_at;
    this.problem = job.problem;
    this.isOver = job.finished_at !== null;
  }

  private async readRefusals(): Promise<void> {
    try {
      const page = await get("/api/v1/bulk/{id}/failures", {
        path: { id: this.job },
        query: { limit: KEPT_REFUSALS },
      });
      this.refused = page.items.map((each) => ({ run: each.run, message: each.message }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** Does it to some runs, a few at once. What is refused does not stop the others. */
  async each(ids: string[], change: (id: string) => Promise<unknown>): Promise<void> {
    this.total = ids.length;
    const rest = [...ids];
    const one = async () => {
      for (let id = rest.shift(); id !== undefined && !this.isStopped; id = rest.shift()) {
        try {
          await change(id);
          this.done += 1;
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          this.refusals += 1;
          this.refused = [...this.refused, { run: id, message: error.message }].slice(0, KEPT_REFUSALS);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    this.isOver = true;
  }
}

class Works {
  list = $state.raw<Work[]>([]);

  add(work: Work): void {
    const all = [work, ...this.list];
    this.list = all.slice(0, MOST);
    all.slice(MOST).forEach((each) => each.drop());
  }

  drop(work: Work): void {
    work.drop();
    this.list = this.list.filter((each) => each !== work);
  }
}

export const works = new Works();
