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
  /** Whether this change is a reason to load again. Without it, changes do not matter. */
  on?: (pulse: Pulse) => boolean;
  /** Load again at most so often, in milliseconds; less often if it takes long. */
  every?: number;
  /** Load again after so many milliseconds in any case. */
  poll?: number;
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
  let data = $state.raw<T | undefined>();
  let problem = $state.raw<Problem | null>(null);
  let at = $state(0);
  let isLoading = $state(false);
  let running: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = 0;
  let took = 0;

  async function run(name: string): Promise<void> {
    running?.abort();
    const mine = (running = new AbortController());
    isLoading = true;
    lastAt = Date.now();
    try {
      const found = await load(mine.signal);
      took = Date.now() - lastAt;
      if (mine.signal.aborted) return;
      data = found;
      at = Date.now();
      problem = null;
      keep(name, found);
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      problem = error;
    } finally {
      if (running === mine) isLoading = false;
    }
  }

  function soon(): void {
    const name = untrack(key);
    if (name === null || timer !== undefined || document.hidden || live.state === "held") return;
    const wait = Math.max(0, lastAt + Math.max(options.every ?? 1_000, SHARE * took) - Date.now());
    timer = setTimeout(() => {
      timer = undefined;
      if (live.state !== "held") void run(name);
    }, wait);
  }

  $effect(() => {
    const name = key();
    void live.resets;
    untrack(() => {
      clearTimeout(timer);
      timer = undefined;
      if (name === null) {
        running?.abort();
        data = undefined;
        return;
      }
      const known = cache.get(name);
      if (known) {
        data = known.data as T;
        at = known.at;
      }
      void run(name);
    });
  });
  $effect(() => {
    const leave = options.on ? live.listen((pulse) => options.on?.(pulse) && soon()) : undefined;
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
      return data;
    },
    get problem() {
      return problem;
    },
    get at() {
      return at;
    },
    get isLoading() {
      return isLoading;
    },
    async reload() {
      const name = untrack(key);
      if (name !== null) await run(name);
    },
  };
}
