// Who looks at the pages, and what they may do.
import { context, get, onAnswer, Problem, del } from "../api/client";
import type { Caller } from "../api/schema";

const RANKS: Record<string, number> = { viewer: 1, operator: 2, admin: 3 };
const KEPT = "holdfast.namespace";

class Session {
  caller = $state.raw<Caller | null>(null);
  needsLogin = $state(false);
  isKnown = $state(false);
  problem = $state.raw<Problem | null>(null);

  constructor() {
    context.namespace = sessionStorage.getItem(KEPT) ?? "";
    onAnswer((status) => {
      if (status === 401) this.caller = null;
    });
  }

  /** Also after a login, and when the server has come back. */
  async load(): Promise<void> {
    try {
      const answer = await get("/api/v1/session");
      context.csrf = answer.csrf_token ?? "";
      this.caller = answer.caller;
      this.needsLogin = answer.needs_login;
      this.problem = null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.caller = null;
      this.needsLogin = error.status === 401;
      this.problem = error.status === 401 ? null : error;
    }
    this.isKnown = true;
  }

  /** Whether the caller may do what needs this role. The server decides; this only hides buttons. */
  may(role: "viewer" | "operator" | "admin"): boolean {
    return (RANKS[this.caller?.role ?? ""] ?? 0) >= (RANKS[role] ?? 9);
  }

  get namespace(): string {
    return context.namespace || this.caller?.namespace || "";
  }

  choose(namespace: string): void {
    sessionStorage.setItem(KEPT, namespace);
    location.reload();
  }

  async leave(): Promise<void> {
    const answer = await del("/api/v1/session");
    const elsewhere = (answer as { logout_url?: string | null } | undefined)?.logout_url;
    if (elsewhere) location.href = elsewhere;
    else await this.load();
  }
}

export const session = new Session();
