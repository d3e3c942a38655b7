// The filters of the list of runs. They are the URL: `/runs?status=failed&began=24h`, and are written the same
// way in the bar. What is no filter is refused there, with what is allowed.
import { brushFilters, readBrush } from "../../parts/scatter/brush";
import { readDurationSpan, readTimeSpan, writeTimeSpan } from "../../text/spans";
import { RUN_STATES } from "../../text/states";

export interface Token {
  name: string;
  value: string;
}

export interface Filter {
  name: string;
  /** `~` for text that is contained. */
  sign: "=" | "~";
  says: string;
  example: string;
  /** Why the value is refused; null if it is good. */
  refuse: (value: string, now: number) => string | null;
}

/** Why something is no filter, in a sentence. */
export class Refusal {
  constructor(readonly message: string) {}
}

const SPAN = "24h, today, 2026-03-16, 00:12..01:04 or ..1h";

function refuseStates(value: string): string | null {
  const unknown = statesOf(value).find((each) => !(RUN_STATES as readonly string[]).includes(each));
  if (unknown === undefined && statesOf(value).length) return null;
  return `There is no state ${unknown || "without a name"}. States are ${RUN_STATES.join(", ")}; -success is all others.`;
}

function refuseSpan(value: string, now: number): string | null {
  return readTimeSpan(value, now) ? null : `${value || "Nothing"} is no time. Write ${SPAN}.`;
}

function refuseEmpty(value: string): string | null {
  return value.trim() ? null : "A value is missing.";
}

function text(name: string, says: string, example: string, sign: "=" | "~" = "="): Filter {
  return { name, sign, says, example, refuse: refuseEmpty };
}

export const FILTERS: Filter[] = [
  {
    name: "status",
    sign: "=",
    says: "states, or all but some",
    example: "failed,parked · -success",
    refuse: refuseStates,
  },
  text("workflow", "its workflow", "fulfil"),
  text("version", "the version of its workflow", "31"),
  text("tag", "all of these tags", "eu,large"),
  text("schedule", "the schedule that started it", "nightly"),
  text("parent", "children of this run", "order-88213"),
  {
    name: "began",
    sign: "=",
    says: "when it was started",
    example: "24h · 2026-03-16.. · 00:12..01:04",
    refuse: refuseSpan,
  },
  {
    name: "ended",
    sign: "=",
    says: "when it ended",
    example: "1h · yesterday",
    refuse: refuseSpan,
  },
  {
    name: "took",
    sign: "=",
    says: "how long it took; it has ended",
    example: ">30s · 1m..10m",
    refuse: (value) =>
      readDurationSpan(value) ? null : `${value || "Nothing"} is no span. Write >30s, <5m or 1m..10m.`,
  },
  text("error", "text in its error", "declined", "~"),
  text("type", "the class of its error", "PaymentDeclined"),
  text("cause", "the fingerprint of its error", "5c1f…"),
  text("id", "text in its id", "order-88", "~"),
  {
    name: "brush",
    sign: "=",
    says: "what is marked in the chart",
    example: "00:12..01:04,1.5s..30s",
    refuse: (value, now) => (readBrush(value, now) ? null : `${value || "Nothing"} is no part of the chart.`),
  },
];
const BY_NAME = new Map(FILTERS.map((each) => [each.name, each]));
/** Names of parameters that are no filters: what else the page keeps in its URL. */
const OTHERS = new Set(["peek", "job", "namespace"]);
/** Names of the API, as links from elsewhere may have them. */
const ALSO: Record<string, string> = {
  "error~": "error",
  "id~": "id",
  error_contains: "error",
  id_contains: "id",
  error_type: "type",
  fingerprint: "cause",
};

export function filterOf(name: string): Filter | undefined {
  return BY_NAME.get(ALSO[name] ?? name);
}

export function signOf(name: string): string {
  return filterOf(name)?.sign ?? "=";
}

export interface ReadFilters {
  tokens: Token[];
  /** What stands in the URL and is no filter, with the reason. It filters nothing. */
  refused: { token: Token; message: string }[];
}

/** The filters of a URL, in its order. */
export function readFilters(query: URLSearchParams, now: number): ReadFilters {
  const found = new Map<string, string>();
  const refused: ReadFilters["refused"] = [];
  for (const [given, value] of withSpans(query)) {
    if (OTHERS.has(given)) continue;
    const filter = filterOf(given);
    const message = filter ? filter.refuse(value, now) : unknownName(given);
    if (message !== null || !filter) {
      refused.push({ token: { name: given, value }, message: message ?? "" });
      continue;
    }
    const before = found.get(filter.name);
    const isList = filter.name === "status" || filter.name === "tag";
    found.set(filter.name, before && isList ? `${before},${value}` : value);
  }
  return { tokens: [...found].map(([name, value]) => ({ name, value })), refused };
}

/** `created_after` and its like, as the API and its links have them, are ends of spans. */
function withSpans(query: URLSearchParams): [string, string][] {
  const rest: [string, string][] = [];
  const ends: Record<string, [string, string]> = {};
  for (const [name, value] of query) {
    const [, noun, end] = /^(created|ended|took)_(after|before|over|under)$/.exec(name) ?? [];
    if (!noun || !end) {
      rest.push([name, value]);
      continue;
    }
    const target = noun === "created" ? "began" : noun;
    const pair = (ends[target] ??= ["", ""]);
    pair[end === "after" || end === "over" ? 0 : 1] = noun === "took" ? `${value}s` : value;
  }
  return [...rest, ...Object.entries(ends).map(([name, pair]): [string, string] => [name, pair.join("..")])];
}

function unknownName(name: string): string {
  const names = FILTERS.filter((each) => each.name !== "brush").map((each) =>
    each.sign === "~" ? `${each.name}~` : each.name,
  );
  return `There is no filter ${name}. Filters are ${names.join(", ")}.`;
}

const WORD = /^([a-z_]+)\s*(=|~|(?=[<>]))\s*(.*)$/i;

/** What was typed, as a filter: `status=failed`, `took>30s`, `error~declined`, or the name of a state. */
export function readWord(typed: string, now: number): Token | Refusal {
  const word = typed.trim();
  if ((RUN_STATES as readonly string[]).includes(word.replace(/^-/, "")))
    return { name: "status", value: word };
  const found = WORD.exec(word);
  if (!found) {
    if (filterOf(word)) return new Refusal(`Say which ${word}: ${word}${signOf(word)}${hintOf(word)}`);
    return new Refusal(
      `${word || "Nothing"} is no filter. Write a name and a value, such as workflow=fulfil, took>30s or id~${word || "order"}.`,
    );
  }
  const [, given = "", , raw = ""] = found;
  const filter = filterOf(given.toLowerCase());
  if (!filter || filter.name === "brush") return new Refusal(unknownName(given));
  const value = fixed(filter, raw.trim(), now);
  const message = filter.refuse(value, now);
  return message === null ? { name: filter.name, value } : new Refusal(message);
}

/** A time of day means this day: it is written as a time, so that the URL means the same tomorrow. */
function fixed(filter: Filter, value: string, now: number): string {
  if ((filter.name !== "began" && filter.name !== "ended") || !/(^|\.)\d{1,2}:\d{2}/.test(value))
    return value;
  const span = readTimeSpan(value, now);
  return span ? writeTimeSpan(span) : value;
}

function hintOf(name: string): string {
  return filterOf(name)?.example.split(" · ")[0] ?? "";
}

/** The tokens after another came: tags are added, everything else takes the place of its like. */
export function withToken(tokens: Token[], token: Token): Token[] {
  const before = tokens.find((each) => each.name === token.name);
  if (!before) return [...tokens, token];
  const value =
    token.name === "tag" ? [...new Set([...before.value.split(","), token.value])].join(",") : token.value;
  return tokens.map((each) => (each === before ? { ...token, value } : each));
}

/** The named states; `-success` is all others. */
export function statesOf(value: string): string[] {
  const words = value
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
  const named = words.filter((each) => !each.startsWith("-"));
  const not = words.filter((each) => each.startsWith("-")).map((each) => each.slice(1));
  const unknown = not.filter((each) => !(RUN_STATES as readonly string[]).includes(each));
  if (unknown.length || !not.length) return [...named, ...unknown];
  return (named.length ? named : [...RUN_STATES]).filter((each) => !not.includes(each));
}

/** The value of `status` after the count of a state was pressed: only this one, or one more or less. */
export function pressState(value: string, state: string, isMore: boolean): string {
  const now = value ? statesOf(value) : [];
  if (!isMore) return now.length === 1 && now[0] === state ? "" : state;
  const next = now.includes(state) ? now.filter((each) => each !== state) : [...now, state];
  return next.length === RUN_STATES.length ? "" : next.join(",");
}

/** The query of the URL for these filters. */
export function queryOf(tokens: Token[]): Record<string, string> {
  return Object.fromEntries(tokens.map((each) => [each.name, each.value]));
}

/** The tokens after the brush has become the filters `began` and `took`. */
export function withoutBrush(tokens: Token[], now: number): Token[] {
  const brush = readBrush(tokens.find((each) => each.name === "brush")?.value ?? "", now);
  if (!brush) return tokens;
  const added = Object.entries(brushFilters(brush))
    .filter(([, value]) => value)
    .map(([name, value]) => ({ name, value }));
  const names = new Set(["brush", ...added.map((each) => each.name)]);
  return [...tokens.filter((each) => !names.has(each.name)), ...added];
}
