// What the page of a run loads. Each part is loaded again when the run has changed, and at most so often that a
// run with thousands of changes a second does not keep the server busy.
import { get } from "../../api/client";
import type {
  AttemptInfo,
  ExplanationAnswer,
  Neighbours,
  RunGraph,
  RunGroups,
  RunInfo,
  TaskInfo,
} from "../../api/schema";
import { live, type Pulse } from "../../state/live.svelte";
import { resource, type Resource } from "../../state/resource.svelte";
import { groupsOf, versionOf, type Group } from "./groups";
import { triedAgain } from "./timeline/rows";

/** Runs of more tasks are shown by their groups alone; the tasks are then loaded page by page. */
export const MOST_TASKS = 500;

/** So often the sentence about a run that goes on is loaded again, in milliseconds. */
const AGED = 10_000;

export interface Tasks {
  tasks: TaskInfo[];
  attempts: AttemptInfo[];
}

export class RunData {
  readonly run: Resource<RunInfo>;
  readonly explanation: Resource<ExplanationAnswer>;
  readonly groups: Resource<RunGroups>;
  readonly graph: Resource<RunGraph>;
  readonly neighbours: Resource<Neighbours>;
  /** All tasks of a run of few, and the attempts at those that were tried again. */
  readonly tasks: Resource<Tasks>;

  constructor(id: () => string, at: () => string | null) {
    const path = () => ({ id: id() });
    const on = (pulse: Pulse): boolean => this.concerns(pulse);
    this.run = resource(
      () => `run ${id()}`,
      (signal) => get("/api/v1/runs/{id}", { path: path(), signal }),
      { on, every: 500 },
    );
    // What takes longest is asked for first.
    this.graph = resource(
      () => `graph ${id()} ${at() ?? ""}`,
      (signal) => get("/api/v1/runs/{id}/graph", { path: path(), query: { at: at() ?? undefined }, signal }),
      { on: (pulse) => at() === null && on(pulse), every: 1_500, subject: id },
    );
    this.explanation = resource(
      () => `explanation ${id()}`,
      (signal) => get("/api/v1/runs/{id}/explanation", { path: path(), signal }),
      { on, every: 1_000 },
    );
    // What it says of time ("for 19 h", "in 38 s") grows old while nothing changes.
    $effect(() => {
      if (!this.run.data || this.run.data.finished_at) return;
      const isLooked = (): boolean => !document.hidden && live.state !== "held";
      const timer = setInterval(() => isLooked() && void this.explanation.reload(), AGED);
      return () => clearInterval(timer);
    });
    this.groups = resource(
      () => `groups ${id()} ${at() ?? ""}`,
      (signal) => get("/api/v1/runs/{id}/groups", { path: path(), query: { at: at() ?? undefined }, signal }),
      { on: (pulse) => at() === null && on(pulse), every: 1_000, subject: id },
    );
    this.neighbours = resource(
      () => `neighbours ${id()}`,
      (signal) => get("/api/v1/runs/{id}/neighbours", { path: path(), signal, isLater: true }),
    );
    this.tasks = resource(
      () => (this.groups.data && this.hasFew ? `tasks ${id()} ${versionOf(this.groups.data.groups)}` : null),
      (signal) => this.loadTasks(id(), signal),
      // Groups count how many tasks were tried again, not how often.
      { on: (pulse) => pulse.changes.some((each) => (each.attempt ?? 1) > 1), every: 1_000, subject: id },
    );
  }

  /** Whether something about this run has changed. */
  concerns(pulse: Pulse): boolean {
    const key = this.run.data?.key;
    return pulse.is_cut || pulse.changes.length > 0 || pulse.runs.some((each) => each.key === key);
  }

  /** What the run has asked for, by name. */
  get asked(): Group[] {
    return groupsOf(this.groups.data?.groups ?? [], this.graph.data);
  }

  get hasFew(): boolean {
    return (this.groups.data?.total ?? 0) <= MOST_TASKS;
  }

  private async loadTasks(id: string, signal: AbortSignal): Promise<Tasks> {
    const page = await get("/api/v1/runs/{id}/tasks", {
      path: { id },
      query: { limit: MOST_TASKS },
      signal,
    });
    const groups = this.groups.data?.groups ?? [];
    const of = triedAgain(groups, page.items);
    if (of.length === 0) return { tasks: page.items, attempts: [] };
    const found = await get("/api/v1/runs/{id}/attempts", { path: { id }, query: { task: of }, signal });
    return { tasks: page.items, attempts: found.items };
  }
}
