// What the page of runs says in words.
import { readBrush } from "../../parts/scatter/brush";
import { counted } from "../../text/numbers";
import { visible } from "../../text/safe";
import { readTimeSpan, writeDurationSpan, type TimeSpan } from "../../text/spans";
import { shortTime, timeOfDay } from "../../text/times";
import { statesOf, type Token } from "./filters";

/** A filter as it stands in the bar: times of today are clock times. */
export function tokenText(token: Token, now = Date.now()): string {
  const hasTime = /\d{4}-\d{2}-\d{2}T/.test(token.value);
  if (token.name === "brush") {
    const brush = readBrush(token.value, now);
    if (!brush) return visible(token.value);
    const took = brush.took ? `, ${writeDurationSpan(brush.took)}` : "";
    return spanText(brush.began, now) + took;
  }
  if ((token.name === "began" || token.name === "ended") && hasTime) {
    const span = readTimeSpan(token.value, now);
    if (span) return spanText(span, now);
  }
  return visible(token.value);
}

function spanText(span: TimeSpan, now: number): string {
  const isMinute = [span.from, span.to].every((each) => each === null || each % 60_000 === 0);
  const clockOf = (at: number) => timeOfDay(at, { seconds: !isMinute });
  const isToday = (at: number) => new Date(at).toDateString() === new Date(now).toDateString();
  const first = span.from === null ? "" : isToday(span.from) ? clockOf(span.from) : shortTime(span.from, now);
  if (span.to === null) return `${first}..`;
  const isSameDay =
    span.from !== null && new Date(span.from).toDateString() === new Date(span.to).toDateString();
  return `${first}..${isSameDay || isToday(span.to) ? clockOf(span.to) : shortTime(span.to, now)}`;
}

const VERBS: Record<string, [string, string]> = {
  pending: ["waits to begin", "wait to begin"],
  running: ["is running", "are running"],
  success: ["ended well", "ended well"],
  failed: ["failed", "failed"],
  cancelled: ["was cancelled", "were cancelled"],
  paused: ["is paused", "are paused"],
  parked: ["is parked", "are parked"],
};

export interface Count {
  name: string;
  count: number;
  is_exact: boolean;
}

export interface Sentence {
  /** How many there are. */
  count: string;
  /** What the filters say of them. */
  which: string;
  /** What became of them. */
  verb: string;
}

/** `45 runs` ` of fulfil that began in the last 24 hours` ` failed`. */
export function sentenceOf(counts: Count[], tokens: Token[]): Sentence {
  const states = statesOf(tokens.find((each) => each.name === "status")?.value ?? "");
  const chosen = states.length ? counts.filter((each) => states.includes(each.name)) : counts;
  const total = chosen.reduce((sum, each) => sum + each.count, 0);
  const least = chosen.some((each) => !each.is_exact) ? "at least " : "";
  const number = total === 0 ? "no run" : least + counted(total, "run");
  const isOne = total <= 1;
  const said = phrases(tokens);
  const which = said ? ` ${said}` : "";
  if (!states.length) return { count: `There ${isOne ? "is" : "are"} ${number}`, which, verb: "" };
  const verbs = states.length === 1 ? VERBS[states[0] ?? ""] : undefined;
  const verb = verbs ? verbs[isOne ? 0 : 1] : `${isOne ? "is" : "are"} ${listed(states)}`;
  return { count: number[0]?.toUpperCase() + number.slice(1), which, verb: ` ${verb}` };
}

function listed(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function phrases(tokens: Token[]): string {
  const plain: string[] = [];
  const clauses: string[] = [];
  for (const { name, value } of tokens) {
    const said = visible(value);
    if (name === "workflow") plain.push(`of ${said}`);
    else if (name === "version") plain.push(`of version ${said}`);
    else if (name === "schedule") plain.push(`of schedule ${said}`);
    else if (name === "parent") plain.push(`with the parent ${said}`);
    else if (name === "tag")
      plain.push(`with ${value.includes(",") ? "tags" : "tag"} ${said.split(",").join(" and ")}`);
    else if (name === "error") plain.push(`with “${said}” in the error`);
    else if (name === "type") plain.push(`with ${said}`);
    else if (name === "cause") plain.push("with one cause");
    else if (name === "id") plain.push(`with “${said}” in the id`);
    else if (name === "began" || name === "ended") clauses.push(spanPhrase(name, tokenText({ name, value })));
    else if (name === "took") clauses.push(tookPhrase(said));
  }
  const tail = clauses.length ? [`that ${clauses.join(" and ")}`] : [];
  return [...plain, ...tail].join(" ");
}

function tookPhrase(text: string): string {
  if (text.startsWith(">")) return `took more than ${text.slice(1)}`;
  if (text.startsWith("<")) return `took less than ${text.slice(1)}`;
  const [over, under] = text.split("..");
  if (!under) return `took more than ${over}`;
  return over ? `took ${over} to ${under}` : `took less than ${under}`;
}

const LAST: Record<string, string> = { "1h": "hour", "24h": "24 hours", "7d": "7 days", "1d": "day" };
const SHORT = /^\d+(\.\d+)?\w+$/;

function spanPhrase(verb: string, text: string): string {
  if (SHORT.test(text)) return `${verb} in the last ${LAST[text] ?? text}`;
  if (!text.includes("..")) return verb + (/^\d/.test(text) ? ` on ${text}` : ` ${text}`);
  const [from = "", to = ""] = text.split("..");
  if (from && to) return SHORT.test(to) ? `${verb} ${from} to ${to} ago` : `${verb} from ${from} to ${to}`;
  if (to) return SHORT.test(to) ? `${verb} more than ${to} ago` : `${verb} until ${to}`;
  return `${verb} since ${from}`;
}

/** From when to when the chart of runs goes: as `began` says, else from the first run, until now. */
export function chartSpan(tokens: Token[], first: number, now: number): [number, number] {
  const value = tokens.find((each) => each.name === "began")?.value;
  const span = value ? readTimeSpan(value, now) : null;
  const end = Math.min(span?.to ?? now, now);
  const begin = span?.from ?? first;
  return [Math.min(begin, end - 1_000), end];
}
