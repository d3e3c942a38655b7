// What is shown of a run and what is chosen in it. There is one selection for the graph, the timeline, all tabs
// and the details pane, and the URL holds it: ?tab=&task=&name=&at=&step=
import { router } from "../../state/router.svelte";

export const TABS = ["timeline", "tasks", "journal", "logs", "streams", "values", "messages"] as const;
export type Tab = (typeof TABS)[number];

export const TITLES: Record<Tab, string> = {
  timeline: "Timeline",
  tasks: "Tasks",
  journal: "Journal",
  logs: "Logs",
  streams: "Streams",
  values: "Input and output",
  messages: "Messages",
};

/** What is chosen: one task by its number, or all tasks of a name. */
export interface Selection {
  task: number | null;
  name: string;
}

/** What a run was like at a step of its journal: the graph and what these tabs show. */
const OF_PAST: ReadonlySet<Tab> = new Set<Tab>(["timeline", "journal", "values"]);

export function isOfPast(tab: Tab): boolean {
  return OF_PAST.has(tab);
}

export function readTab(text: string): Tab {
  return TABS.find((each) => each === text) ?? "timeline";
}

/** A whole number of zero or more, or null. */
export function readWhole(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export class RunView {
  readonly tab: Tab = $derived(readTab(router.query("tab")));
  /** The number of the chosen task. */
  readonly task: number | null = $derived(readWhole(router.query("task")));
  /** The name of the chosen task, or of the chosen group if no task is chosen. */
  readonly name: string = $derived(router.query("name"));
  /** The time at which the run is shown; null for now, and on tabs that have only what is so now. */
  readonly at: string | null = $derived(isOfPast(this.tab) ? readTime(router.query("at")) : null);
  /** The position in the journal at which the run is shown; null for now. */
  readonly step: number | null = $derived(readWhole(router.query("step")));
  readonly isAnythingChosen: boolean = $derived(this.task !== null || this.name !== "");

  /** Back leads to the tab before, except from one that was only passed on the way to another. */
  open(tab: Tab, options: { isPassed?: boolean } = {}): void {
    const replace = options.isPassed === true || tab === this.tab;
    router.set({ tab: tab === "timeline" ? null : tab }, { replace });
  }

  /** Choose a task, of which the name may be known, or all tasks of a name. */
  choose(task: number | null, name = ""): void {
    router.set({ task: task === null ? null : String(task), name: name || null });
  }

  letGo(): void {
    this.choose(null);
  }

  /** Show the run as it was at a time and a step of its journal; null for now. */
  show(at: string | null, step: number | null = null): void {
    router.set({ at, step: step === null ? null : String(step) });
  }
}

function readTime(text: string): string | null {
  return text && !Number.isNaN(Date.parse(text)) ? text : null;
}
