// One stream of events a tab. The server puts changes together and tells them at most four times a second.
import { addressOf, namespaceHeader, tellAnswer } from "../api/client";
import { EventReader } from "../api/events";
import { hearServerTime, clock } from "./clock.svelte";

/** A run of which something changed, as it is now. */
export interface ChangedRun {
  key: string;
  id: string;
  workflow: string;
  status: string;
  waiting: string | null;
  is_new: boolean;
}

/** A change of the run that the page shows: a task, a message or an act of an operator. */
export interface RunChange {
  kind: string;
  at: string;
  status?: string;
  seq?: number;
  task?: string;
  index?: number;
  attempt?: number;
  what?: string;
  name?: string;
  by?: string;
}

/** What has happened since the pulse before. */
export interface Pulse {
  at: string;
  created: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  tasks: number;
  messages: number;
  /** The last states of runs that changed, at most 100. */
  runs: ChangedRun[];
  /** Of the run that was asked for, at most 500. */
  changes: RunChange[];
  /** More has changed than is listed: load what you show again. */
  is_cut: boolean;
  /** The database of the server does not answer. */
  is_away: boolean;
}

const QUIET = 3_000;
/** A browser has six connections to a server over HTTP/1.1: tabs that nobody looks at give theirs back soon. */
const HIDDEN = 10_000;
const SILENCE = 40_000;
/** So long a page waits for the stream before it loads anything, in milliseconds. */
const JOINING = 250;

class Live {
  private isHeld = $state(false);
  /** The server has not been heard of for three seconds. */
  private isLost = $state(false);
  /** The server is heard of, and says that its database does not answer: so what is shown gets old. */
  private isAway = $state(false);
  /** Changes of what is loaded from now on are told. What was loaded before had to be loaded again. */
  isJoined = $state(false);
  /** When the server was last heard of with its database, on its own clock. */
  heardAt = $state(clock.exact());
  /** Counts how often everything must be loaded again: after a gap, and after the server has come back. */
  resets = $state(0);
  private readonly listeners = new Set<(pulse: Pulse) => void>();
  private run = "";
  private after = "";
  private stop: AbortController | null = null;
  private losing: ReturnType<typeof setTimeout> | undefined;
  private hiding: ReturnType<typeof setTimeout> | undefined;
  private isAsleep = false;
  private isStarted = false;

  /** `held` by the user; `lost` when the server has not been heard of for three seconds, or has no database. */
  get state(): "live" | "lost" | "held" {
    if (this.isHeld) return "held";
    return this.isLost || this.isAway ? "lost" : "live";
  }

  /** Also after a login: a stream that was refused is not asked for again before. */
  start(): void {
    if (this.isStarted) {
      this.isAsleep = false;
      this.wake?.();
      return;
    }
    this.isStarted = true;
    setTimeout(() => (this.isJoined = true), JOINING);
    document.addEventListener("visibilitychange", () => this.seen());
    // A tab that was opened in the background asks for events when somebody looks at it.
    this.isAsleep = document.hidden;
    void this.keepOpen();
  }

  /** Somebody else looks at the pages now: what the stream of the one before still tells is not for them. */
  restart(): void {
    this.after = "";
    this.stop?.abort("topic");
  }

  listen(hear: (pulse: Pulse) => void): () => void {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  }

  /** The page shows this run (by key), and hears of its tasks too; "" for none. */
  follow(run: string): void {
    if (run === this.run) return;
    this.run = run;
    this.stop?.abort("topic");
  }

  hold(isHeld: boolean): void {
    clock.isHeld = this.isHeld = isHeld;
    if (!isHeld) this.resets += 1;
  }

  /** What is held still is loaded again when it is let go. */
  private reset(): void {
    if (!this.isHeld) this.resets += 1;
  }

  private seen(): void {
    clearTimeout(this.hiding);
    if (document.hidden) {
      this.hiding = setTimeout(() => {
        this.isAsleep = true;
        this.stop?.abort("hidden");
      }, HIDDEN);
    } else if (this.isAsleep) {
      this.isAsleep = false;
      this.after = "";
      this.reset();
      this.wake?.();
    }
  }

  private wake: (() => void) | undefined;

  private async keepOpen(): Promise<void> {
    let failures = 0;
    for (;;) {
      if (this.isAsleep) await new Promise<void>((resolve) => (this.wake = resolve));
      const isHeard = await this.readOnce();
      failures = isHeard ? 0 : failures + 1;
      if (failures > 0) {
        this.losing ??= setTimeout(() => (this.isLost = true), QUIET);
        await new Promise((resolve) =>
          setTimeout(resolve, Math.min(5_000, 250 * 2 ** Math.min(failures, 5))),
        );
      }
    }
  }

  private hear(): void {
    clearTimeout(this.losing);
    this.losing = undefined;
    if (!this.isAway) this.heardAt = clock.exact();
    if (this.isLost) {
      this.isLost = false;
      this.reset();
    }
  }

  /** Whether the server was heard. */
  private async readOnce(): Promise<boolean> {
    const stop = new AbortController();
    this.stop = stop;
    let isHeard = false;
    let silence: ReturnType<typeof setTimeout> | undefined;
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream", ...namespaceHeader() };
      if (this.after) headers["Last-Event-ID"] = this.after;
      const address = addressOf("/api/v1/pulse", {}, { run: this.run });
      const answer = await fetch(address, { headers, signal: stop.signal, credentials: "same-origin" });
      if (answer.status === 404 && this.run) {
        this.run = "";
        return true;
      }
      if (answer.status === 401) {
        this.isAsleep = true;
        this.after = "";
        tellAnswer(401);
        return true;
      }
      if (!answer.ok || !answer.body) return false;
      isHeard = true;
      this.hear();
      const reader = new EventReader(
        (event) => this.take(event.event, event.data),
        (id) => (this.after = id),
      );
      const body = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        clearTimeout(silence);
        silence = setTimeout(() => stop.abort("silence"), SILENCE);
        const { done, value } = await body.read();
        if (done) return isHeard;
        // In this order: the first pulse says what time it is on the server.
        reader.feed(value);
        this.hear();
      }
    } catch {
      return isHeard && (stop.signal.aborted || navigator.onLine);
    } finally {
      clearTimeout(silence);
    }
  }

  private take(event: string, data: string): void {
    if (event === "lagged" || event === "error") {
      this.reset();
      return;
    }
    if (event !== "pulse") return;
    const pulse = JSON.parse(data) as Pulse;
    if (this.isAway && !pulse.is_away) this.reset();
    this.isAway = pulse.is_away;
    if (this.isHeld) return;
    const now = Date.now();
    hearServerTime(Date.parse(pulse.at), now, now);
    if (!this.isJoined) {
      this.isJoined = true;
      return; // nothing was loaded yet that could be older
    }
    requestAnimationFrame(() => this.listeners.forEach((hear) => hear(pulse)));
  }
}

export const live = new Live();
