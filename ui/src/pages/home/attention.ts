// What the page does with an item that needs attention: its mark, where it leads, and what can be done.
import type { AttentionItem, RunStatus } from "../../api/schema";
import { counted } from "../../text/numbers";
import { shortTime } from "../../text/times";
import type { Conditions } from "../runs/conditions";

const MARKS: Record<string, string> = {
  failed: "failed",
  parked: "parked",
  question: "person",
  node: "lost",
  schedule: "timed_out",
  queue: "waiting",
  service: "lost",
  limit: "waiting",
  overdue: "timed_out",
};

export function markOfKind(kind: string): string {
  return MARKS[kind] ?? "parked";
}

/** The query of the page of runs that lists them. The server writes it with the names of the API. */
export function runsQuery(item: AttentionItem): Record<string, string> {
  const found: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(item.filter)) (found[name] ??= []).push(value);
  const names: Record<string, string> = { fingerprint: "cause", id_contains: "id", error_contains: "error" };
  return Object.fromEntries(
    Object.entries(found).map(([name, values]) => [names[name] ?? name, values.join(",")]),
  );
}

/** The same runs for an act on all of them: neither more nor fewer than the item counts. */
export function conditionsOf(item: AttentionItem): Conditions {
  const found = new URLSearchParams(item.filter);
  const of = (name: string) => found.get(name) ?? undefined;
  return {
    status: found.getAll("status") as RunStatus[],
    workflow: of("workflow"),
    fingerprint: of("fingerprint"),
    created_after: of("created_after"),
  };
}

/** Where its first button leads: the parts of the path and the query, and what stands on it. */
export function leadsTo(item: AttentionItem): {
  parts: string[];
  query: Record<string, string>;
  says: string;
} {
  const named = (kind: string) => item.parts.find((each) => each.kind === kind)?.ref ?? "";
  if (item.kind === "question") return { parts: ["approvals"], query: {}, says: "Open the inbox" };
  if (item.kind === "schedule")
    return item.count === 1
      ? { parts: ["schedules"], query: { name: named("schedule") }, says: "Look at the schedule" }
      : { parts: ["schedules"], query: {}, says: "Schedules" };
  if (item.kind === "parked" && item.count === 1 && item.run)
    return { parts: ["runs", item.run], query: {}, says: "See the difference" };
  if (item.filter)
    return {
      parts: ["runs"],
      query: runsQuery(item),
      says: item.count === 1 ? "Look at the run" : `Look at ${counted(item.count, "run")}`,
    };
  if (item.run) return { parts: ["runs", item.run], query: {}, says: "Look at the run" };
  const places: [string, string][] = [
    ["service", "Look at the service"],
    ["queue", "Look at the queue"],
    ["node", "Look at the node"],
  ];
  const [kind, says] = places.find(([each]) => named(each)) ?? ["", "Fleet"];
  return { parts: ["fleet"], query: kind ? { [kind]: named(kind) } : {}, says };
}

/** `00:15 to 01:03`, `since 01:27`. For how long that has been is in the sentence, where it matters. */
export function sinceText(item: Pick<AttentionItem, "kind" | "since" | "until">, now: number): string {
  if (!item.since) return "";
  const since = Date.parse(item.since);
  // The minute is enough here.
  const minute = (at: number | string) => shortTime(at, now).replace(/(\d{2}:\d{2}):\d{2}$/, "$1");
  const first = minute(since);
  if (!item.until) return `since ${first}`;
  const last = minute(item.until);
  return first === last ? first : `${first} to ${last}`;
}
