// Who looks at the pages, and what they may do.
import { base, context, get, onAnswer, post, Problem, del } from "../api/client";
import type { Caller, SessionAnswer } from "../api/schema";
import { live } from "./live.svelte";
import { forgetAll } from "./resource.svelte";
import { hrefWith, NAMESPACE, router } from "./router.svelte";

const RANKS: Record<string, number> = { viewer: 1, operator: 2, admin: 3 };
const KEPT = "holdfast.namespace";

class Session {
  caller = $state.raw<Caller | null>(null);
  needsLogin = $state(false);
  isKnown = $state(false);
  problem = $state.raw<Problem | null>(null);
  /** When the session ends in any case; null if there is none. */
  endsAt = $state<string | null>(null);
  /** After how many seconds without a request it ends. */
  idle = $state<number | null>(null);
  /** Somebody was logged in, and is not any more. */
  hasEnded = $state(false);
  /** The namespace of the address is not one that they may see. */
  isElsewhere = $state(false);
  private last = "";
  private isLoading = false;
  /** All tabs have one cookie: what one of them does with it, the others are told. */
  private readonly tabs = new BroadcastChannel(`holdfast.session ${base}`);

  constructor() {
    context.namespace = router.query(NAMESPACE) || (sessionStorage.getItem(KEPT) ?? "");
    this.tabs.onmessage = () => void this.load();
    // A page that the browser had kept for Back may be of a session that has ended.
    addEventListener("pageshow", (event) => event.persisted && void this.load());
    onAnswer((status) => {
      // They may do less than the page has offered.
      if (status === 403 && this.caller && !this.isLoading) void this.load();
      if (status !== 401 || !this.caller) return;
      this.caller = null;
      this.needsLogin = true;
      this.hasEnded = true;
    });
  }

  /** Also after a login, and when the server has come back. */
  async load(): Promise<void> {
    this.isLoading = true;
    try {
      this.take(await get("/api/v1/session"));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // What is shown stays until the server has said something else.
      if (error.isPassing && this.caller) return;
      if (error.status === 401 && this.caller) this.hasEnded = true;
      this.caller = null;
      this.needsLogin = error.status === 401;
      this.problem = error.status === 401 ? null : error;
      this.isElsewhere = error.status === 403 && context.namespace !== "";
    } finally {
      this.isLoading = false;
    }
    this.isKnown = true;
  }

  /** Raises Problem. */
  async enter(key: string): Promise<void> {
    this.take(await post("/api/v1/session", { body: { key } }));
    this.tabs.postMessage("entered");
    // The address may name a namespace that is not theirs.
    if (context.namespace) await this.load();
  }

  private take(answer: SessionAnswer): void {
    const { caller } = answer;
    const isShown = this.caller !== null;
    const who = `${caller.key} ${caller.name} ${caller.role} ${caller.all_namespaces ? "*" : caller.namespace}`;
    const isOther = this.last !== "" && this.last !== who;
    this.last = who;
    if (isOther) {
      // What the one before has seen, and the namespace they chose, are theirs.
      forgetAll();
      this.leaveNamespace();
      // Another tab has logged in as somebody else, while this one shows what they may not see.
      if (isShown) return location.reload();
      live.restart();
    }
    // The address says which namespace it is, so that it can be sent to somebody.
    if (context.namespace && !router.query(NAMESPACE)) router.set({ [NAMESPACE]: context.namespace });
    context.csrf = answer.csrf_token ?? "";
    this.endsAt = answer.expires_at ?? null;
    this.idle = answer.idle_seconds ?? null;
    this.needsLogin = answer.needs_login;
    if (JSON.stringify(caller) !== JSON.stringify(this.caller)) this.caller = caller;
    this.hasEnded = this.isElsewhere = false;
    this.problem = null;
  }

  /** Back to the namespace that is theirs without a choice. */
  leaveNamespace(): void {
    context.namespace = "";
    sessionStorage.removeItem(KEPT);
    router.set({ [NAMESPACE]: null });
  }

  /** Whether the caller may do what needs this role. The server decides; this only hides buttons. */
  may(role: "viewer" | "operator" | "admin"): boolean {
    return (RANKS[this.caller?.role ?? ""] ?? 0) >= (RANKS[role] ?? 9);
  }

  get namespace(): string {
    return context.namespace || this.caller?.namespace || "";
  }

  /** What the rest of the address names is of the namespace before: the new one is begun at the list. */
  choose(namespace: string): void {
    sessionStorage.setItem(KEPT, namespace);
    context.namespace = namespace;
    const parts = router.place.parts;
    location.href = hrefWith(router.page === "settings" ? parts : parts.slice(0, 1), {});
  }

  async leave(): Promise<void> {
    const answer = await del("/api/v1/session");
    const elsewhere = (answer as { logout_url?: string | null } | undefined)?.logout_url;
    forgetAll();
    this.tabs.postMessage("left");
    if (elsewhere) {
      location.href = elsewhere;
      return;
    }
    await this.load();
    this.hasEnded = false;
  }
}

export const session = new Session();
