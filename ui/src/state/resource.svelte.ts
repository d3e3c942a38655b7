// What a page shows of the server: kept while it is loaded again, and while the server is away.
import { untrack } from "svelte";
import { Problem } from "../api/client";
import { live, type Pulse } from "./live.svelte";

export interface Resource<T> {
  readonly data: T | undefined;
  readonly problem: Problem | null;
  /** When `data` was loaded. */
  readonly at: number;
  readonly isLoading: boolean;
  reload(): Promise<void>;
}

export interface Options {
  /**
   * Whether this change is a reason to load again. Without it, changes do not matter. Nobody asks it of a pulse
   * that is cut: such a pulse is a reason in any case, because what it leaves out may be one.
   */
  on?: (pulse: Pulse) => boolean;
  /** Load again at most so often, in milliseconds; less often if it takes long. */
  every?: number;
  /** Load again after so many milliseconds in any case. */
  poll?: number;
  /**
   * What it is about: `run 7`. While that is the same, what was loaded for another key stands until what this
   * key names is there: rows stay while a filter changes. Without it, nothing is shown under another key.
   */
  subject?: () => string;
}

/** What was loaded, and what it is of: that of one run must not stand under the heading of another. */
interface Loaded<T> {
  key: string;
  subject: string | null;
  data: T;
  at: number;
}

const CACHED = 60;
/** The server is asked for at most a twentieth of the time. */
const SHARE = 20;
const cache = new Map<string, { data: unknown; at: number }>();

/** Somebody else looks at the pages now. */
export function forgetAll(): void {
  cache.clear();
}

function keep(key: string, data: unknown): void {
  cache.delete(key);
  cache.set(key, { data, at: Date.now() });
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED) break;
    cache.delete(oldest);
  }
}

/**
 * Call it while a component is set up. `key` names what is loaded: it is loaded when the key changes, and
 * what was loaded before for that key is shown at once. A key of null loads nothing.
 */
export function resource<T>(
  key: () => string | null,
  load: (signal: AbortSignal) => Promise<T>,
  options: Options = {},
): Resource<T> {
  let loaded = $state.raw<Loaded<T> | null>(null);
  let problem = $state.raw<{ key: string; error: Problem } | null>(null);
  let isLoading = $state(false);
  let running: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = 0;
  let took = 0;

  const subject = () => options.subject?.() ?? null;
  /** Loaded again when it is another, and not whenever something of which it is made has changed. */
  const current = $derived(key());
  const shown = $derived.by((): { data: T; at: number } | null => {
    const name = current;
    if (name === null) return null;
    if (loaded?.key === name) return loaded;
    const known = cache.get(name);
    if (known) return { data: known.data as T, at: known.at };
    return loaded && loaded.subject !== null && loaded.subject === subject() ? loaded : null;
  });

  async function run(name: string): Promise<void> {
    running?.abort();
    const mine = (running = new AbortController());
    isLoading = true;
    lastAt = Date.now();
    const about = untrack(subject);
    try {
      const found = await load(mine.signal);
      took = Date.now() - lastAt;
      if (mine.signal.aborted) return;
      loaded = { key: name, subject: about, data: found, at: Date.now() };
      problem = null;
      keep(name, found);
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      problem = { key: name, error };
    } finally {
      if (running === mine) isLoading = false;
    }
  }

  function soon(): void {
    const name = untrack(() => current);
    if (name === null || timer !== undefined || document.hidden || live.state === "held") return;
    const wait = Math.max(0, lastAt + Math.max(options.every ?? 1_000, SHARE * took) - Date.now());
    timer = setTimeout(() => {
      timer = undefined;
      if (live.state !== "held") void run(name);
    }, wait);
  }

  $effect(() => {
    const name = current;
    void live.resets;
    untrack(() => {
      clearTimeout(timer);
      timer = undefined;
      if (name === null) {
        running?.abort();
        loaded = null;
        return;
      }
      void run(name);
    });
  });
  $effect(() => {
    const leave = options.on
      ? live.listen((pulse) => (pulse.is_cut || options.on?.(pulse)) && soon())
      : undefined;
    const poll = options.poll ? setInterval(soon, options.poll) : undefined;
    return () => {
      leave?.();
      clearInterval(poll);
      clearTimeout(timer);
      running?.abort();
    };
  });

  return {
    get data() {
      return shown?.data;
    },
    get problem() {
      if (problem?.key !== current) return null;
      // The page says of all that it shows that it is old.
      const isTold = problem.error.isPassing && live.state === "lost" && shown !== null;
      return isTold ? null : problem.error;
    },
    get at() {
      return shown?.at ?? 0;
    },
    get isLoading() {
      return isLoading;
    },
    async reload() {
      const name = untrack(() => current);
      if (name !== null) await run(name);
    },
  };
}
