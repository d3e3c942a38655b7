// Filters as conditions of the API. The same conditions count, list, draw, change and export runs.
import type { RunStatus } from "../../api/schema";
import { readBrush } from "../../parts/scatter/brush";
import { readDurationSpan, readTimeSpan, type DurationSpan, type TimeSpan } from "../../text/spans";
import { statesOf, type Token } from "./filters";

export interface Conditions {
  status?: RunStatus[];
  workflow?: string;
  version?: string;
  tag?: string[];
  schedule?: string;
  parent?: string;
  fingerprint?: string;
  created_after?: string;
  created_before?: string;
  ended_after?: string;
  ended_before?: string;
  took_over?: number;
  took_under?: number;
  error_type?: string;
  id_contains?: string;
  error_contains?: string;
}

const NAMES: Record<
  string,
  | "workflow"
  | "version"
  | "schedule"
  | "parent"
  | "fingerprint"
  | "error_type"
  | "id_contains"
  | "error_contains"
> = {
  workflow: "workflow",
  version: "version",
  schedule: "schedule",
  parent: "parent",
  cause: "fingerprint",
  type: "error_type",
  id: "id_contains",
  error: "error_contains",
};

/** What these filters ask for, at this time. `24h` is the last 24 hours before `now`. */
export function conditionsOf(tokens: Token[], now: number): Conditions {
  const found: Conditions = {};
  for (const { name, value } of tokens) {
    const plain = NAMES[name];
    if (plain) found[plain] = value;
    else if (name === "status") found.status = statesOf(value) as RunStatus[];
    else if (name === "tag") found.tag = value.split(",").filter(Boolean);
    else if (name === "began") narrowBegan(found, readTimeSpan(value, now));
    else if (name === "took") narrowTook(found, readDurationSpan(value));
    else if (name === "ended") {
      const span = readTimeSpan(value, now);
      if (span?.from != null) found.ended_after = new Date(span.from).toISOString();
      if (span?.to != null) found.ended_before = new Date(span.to).toISOString();
    } else if (name === "brush") {
      const brush = readBrush(value, now);
      narrowBegan(found, brush?.began ?? null);
      narrowTook(found, brush?.took ?? null);
    }
  }
  return found;
}

/** Both a filter and the brush may speak of the same thing: the narrower counts. */
function narrowBegan(found: Conditions, span: TimeSpan | null): void {
  if (span?.from != null) {
    const before = found.created_after ? Date.parse(found.created_after) : -Infinity;
    found.created_after = new Date(Math.max(before, span.from)).toISOString();
  }
  if (span?.to != null) {
    const before = found.created_before ? Date.parse(found.created_before) : Infinity;
    found.created_before = new Date(Math.min(before, span.to)).toISOString();
  }
}

function narrowTook(found: Conditions, span: DurationSpan | null): void {
  if (span?.over != null) found.took_over = Math.max(found.took_over ?? 0, span.over);
  if (span?.under != null) found.took_under = Math.min(found.took_under ?? Infinity, span.under);
}

/** Filters without some, by name: the counts leave out `status`, the chart leaves out `brush`. */
export function without(tokens: Token[], ...names: string[]): Token[] {
  return tokens.filter((each) => !names.includes(each.name));
}

/** A name of what is loaded, the same as long as the filters are. */
export function keyOf(what: string, tokens: Token[]): string {
  return JSON.stringify([what, ...tokens.map((each) => [each.name, each.value])]);
}
