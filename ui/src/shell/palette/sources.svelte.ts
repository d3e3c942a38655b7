// Where the palette's entries come from: the page, what was loaded before, and the server.
import { get, Problem } from "../../api/client";
import type { RunInfo } from "../../api/schema";
import { clock } from "../../state/clock.svelte";
import { live } from "../../state/live.svelte";
import { href, hrefWith, router } from "../../state/router.svelte";
import { session } from "../../state/session.svelte";
import { theme } from "../../state/theme.svelte";
import { waitsText } from "../../text/waits";
import { actions } from "../actions.svelte";
import { overlays } from "../overlays.svelte";
import type { Entry } from "./entries";

const PAGES: [string, string, string, string[]][] = [
  ["", "Home", "home", ["G", "H"]],
  ["runs", "Runs", "runs", ["G", "R"]],
  ["workflows", "Workflows", "runs", ["G", "W"]],
  ["approvals", "Approvals", "ask", ["G", "A"]],
  ["schedules", "Schedules", "clock", ["G", "S"]],
  ["fleet", "Fleet", "fleet", ["G", "F"]],
  ["settings", "Settings", "gear", []],
];
const FRESH = 60_000;
const MOST = 1_000;

type Known = { name: string; note: string };
const kept: { runs: Entry[]; workflows: Known[]; schedules: Known[]; at: number; namespace: string } = {
  runs: [],
  workflows: [],
  schedules: [],
  at: 0,
  namespace: "",
};

function go(address: string): () => void {
  return () => router.go(address);
}

/** The page has to be loaded first; after two seconds it is left where it is. */
function focusSoon(selector: string, tries = 20): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (found) found.focus();
  else if (tries > 0) setTimeout(() => focusSoon(selector, tries - 1), 100);
}

export function entryOfRun(run: RunInfo): Entry {
  const at = (query: Record<string, string>) => hrefWith(["runs", run.id], query);
  const shown = router.place.parts[0] === "runs" ? (router.place.parts[1] ?? "") : "";
  const other = (title: string, address: string): Entry => ({
    id: `${run.key} ${title}`,
    group: run.id,
    title,
    icon: "right",
    go: go(address),
  });
  return {
    id: `run ${run.key}`,
    group: "Runs",
    title: run.id,
    note: `${run.workflow}, ${run.waiting && run.status === "running" ? waitsText(run.waiting, clock.now) : run.status}`,
    mark: run.status,
    waiting: run.waiting,
    isMono: true,
    more: run.key,
    go: go(href("runs", run.id)),
    others: [
      other("Open it", href("runs", run.id)),
      other("Its logs", at({ tab: "logs" })),
      other("Its journal", at({ tab: "journal" })),
      other("Input and output", at({ tab: "values" })),
      other("Messages", at({ tab: "messages" })),
      other(`All runs of ${run.workflow}`, hrefWith(["runs"], { workflow: run.workflow })),
      ...(shown && shown !== "compare" && shown !== run.id
        ? [other(`Compare with ${shown}`, hrefWith(["compare"], { left: shown, right: run.id }))]
        : []),
    ],
  };
}

function entriesOfWorkflow({ name, note }: Known): Entry[] {
  const runs = (query: Record<string, string>) => hrefWith(["runs"], { workflow: name, ...query });
  const other = (title: string, address: string): Entry => ({
    id: `${name} ${title}`,
    group: name,
    title,
    icon: "right",
    go: go(address),
  });
  const start: Entry = {
    id: `start ${name}`,
    group: "Do",
    title: `Start ${name}…`,
    note: "asks for its input",
    icon: "again",
    go: () => {
      router.go(href("workflows", name));
      focusSoon("#start :is(input, textarea, select, button)");
    },
  };
  return [
    {
      id: `workflow ${name}`,
      group: "Workflows",
      title: name,
      note,
      icon: "runs",
      isMono: true,
      go: go(href("workflows", name)),
      others: [
        other("Open it", href("workflows", name)),
        other("Its runs", runs({})),
        other("Its failed runs", runs({ status: "failed" })),
      ],
    },
    ...(session.may("operator") ? [start] : []),
    {
      id: `failed ${name}`,
      group: "Do",
      title: `Failed runs of ${name}`,
      mark: "failed",
      go: go(runs({ status: "failed" })),
    },
  ];
}

function entriesOfShell(): Entry[] {
  const entry = (id: string, title: string, icon: string, keys: string[], act: () => void): Entry => ({
    id,
    group: "Do",
    title,
    icon,
    keys,
    go: act,
  });
  return [
    entry("theme", "Dark or light", "theme", ["T"], () => theme.turn()),
    entry("keys", "Show all keys", "more", ["?"], () => (overlays.isHelpOpen = true)),
    entry(
      "hold",
      live.state === "held" ? "Let everything go on" : "Hold everything still",
      "clock",
      ["."],
      () => live.hold(live.state !== "held"),
    ),
  ];
}

/** All that is known without asking: fast, and as of the last time that somebody asked. */
export function fromMemory(typed: string): Entry[] {
  const pages = PAGES.map(([part, title, icon, keys]): Entry => ({
    id: `page ${part}`,
    group: "Pages",
    title,
    icon,
    keys,
    go: go(part ? href(part) : href()),
  }));
  const here = actions.list.map((each): Entry => ({
    ...each,
    id: `here ${each.id}`,
    group: "Here",
    go: each.run,
  }));
  const isMine = kept.namespace === session.namespace;
  const workflows = isMine ? kept.workflows.flatMap(entriesOfWorkflow) : [];
  const schedules = (isMine ? kept.schedules : []).map(({ name, note }): Entry => ({
    id: `schedule ${name}`,
    group: "Schedules",
    title: name,
    note,
    icon: "clock",
    isMono: true,
    go: go(hrefWith(["schedules"], { name })),
  }));
  const runs = isMine ? kept.runs : [];
  // With nothing typed, what can be done here and where one can go; not what each workflow can do.
  if (!typed.trim()) return [...runs.slice(0, 5), ...pages, ...here, ...entriesOfShell()];
  return [...runs, ...workflows, ...schedules, ...pages, ...here, ...entriesOfShell()];
}

/** Loads what memory has of workflows, schedules and the latest runs, unless it is fresh. */
export async function refresh(): Promise<void> {
  if (kept.namespace === session.namespace && Date.now() - kept.at < FRESH) return;
  try {
    const [workflows, schedules, runs] = await Promise.all([
      get("/api/v1/workflows", { query: { limit: MOST } }),
      get("/api/v1/schedules", {}),
      get("/api/v1/runs", { query: { limit: 50 } }),
    ]);
    kept.workflows = workflows.items.map((each) => ({
      name: each.name,
      note: `${each.version.replace(/^(\d)/, "v$1")}, ${each.kind === "dag" ? "DAG" : each.kind}`,
    }));
    kept.schedules = schedules.items.map((each) => ({
      name: each.name,
      note: `${each.is_paused ? "paused, " : ""}starts ${each.workflow}`,
    }));
    kept.runs = runs.items.map(entryOfRun);
    kept.at = Date.now();
    kept.namespace = session.namespace;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The palette goes on with what it has.
  }
}

/** Runs whose id has the text; a key is looked for, too. */
export async function fromServer(typed: string, signal: AbortSignal): Promise<Entry[]> {
  const text = typed.trim();
  if (text.length < 2 || /\s/.test(text)) return [];
  const isKey = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
  try {
    if (isKey) return [entryOfRun(await get("/api/v1/runs/{id}", { path: { id: text }, signal }))];
    const page = await get("/api/v1/runs", { query: { id_contains: text, limit: 6 }, signal });
    return page.items.map(entryOfRun);
  } catch (error) {
    if (error instanceof Problem || signal.aborted) return [];
    throw error;
  }
}
