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
const AT_ONCE = 4;
const KEPT_REFUSALS = 50;

export class Work {
  total = $state<number | null>(null);
  done = $state(0);
  refusals = $state(0);
  refused = $state.raw<Refused[]>([]);
  isOver = $state(false);
  problem = $state("");
  endsAt = $state<string | null>(null);
  private isStopped = false;

  constructor(
    readonly words: ActWords,
    /** The id of the server's job; "" if the page does it itself. */
    readonly job: string,
  ) {}

  get sentence(): string {
    return progressText({ ...this.shape, words: this.words });
  }

  private get shape() {
    const { total, done, isOver, problem } = this;
    return { total, done, refused: this.refusals, isOver, problem };
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.job) await post("/api/v1/bulk/{id}/cancel", { path: { id: this.job }, body: { reason: "" } });
  }

  /** Follows a job of the server to its end. */
  async watch(): Promise<void> {
    for (let failures = 0; failures < 60 && !this.isOver;) {
      try {
        this.take(await get("/api/v1/bulk/{id}", { path: { id: this.job } }));
        failures = 0;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        failures += 1;
        this.problem = error.isPassing ? "" : error.message;
        if (!error.isPassing) break;
      }
      if (!this.isOver) await new Promise((resolve) => setTimeout(resolve, POLL));
    }
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
    this.list = [work, ...this.list].slice(0, 5);
  }

  drop(work: Work): void {
    this.list = this.list.filter((each) => each !== work);
  }
}

export const works = new Works();
