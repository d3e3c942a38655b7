// What may be typed next in the bar of filters: names of filters first, then values of the one that is typed.
import { visible } from "../../text/safe";
import { RUN_STATES } from "../../text/states";
import { FILTERS, filterOf, type Filter } from "./filters";

export interface Suggestion {
  /** What stands in the input when it is chosen. */
  text: string;
  label: string;
  says: string;
  /** It is a whole filter, and is added at once. */
  isWhole: boolean;
}

/** Values that are known on the page, by name of filter. */
export type Known = Record<string, string[]>;

const FIXED: Record<string, [string, string][]> = {
  status: [
    ...RUN_STATES.map((each): [string, string] => [each, ""]),
    ["-success", "all but success"],
    ["pending,running,paused,parked", "under way"],
  ],
  began: [
    ["1h", "the last hour"],
    ["24h", "the last day"],
    ["7d", "the last week"],
    ["today", "since midnight"],
    ["yesterday", ""],
    ["..1h", "over an hour ago"],
  ],
  ended: [
    ["1h", "the last hour"],
    ["24h", "the last day"],
    ["today", "since midnight"],
    ["yesterday", ""],
  ],
  took: [
    [">1s", "over a second"],
    [">30s", ""],
    [">10m", ""],
    [">1h", ""],
    ["<100ms", ""],
    ["1m..10m", "between these"],
  ],
};
const MOST = 12;

export function suggest(typed: string, known: Known): Suggestion[] {
  const word = typed.trimStart();
  const cut = /^([a-z_]+)(=|~|(?=[<>]))/i.exec(word);
  const filter = cut ? filterOf((cut[1] ?? "").toLowerCase()) : undefined;
  if (cut && filter) return valuesOf(filter, word.slice(cut[0].length), known);
  const low = word.toLowerCase().replace(/^-/, "");
  const names = FILTERS.filter((each) => each.name !== "brush" && each.name.startsWith(low)).map(nameOf);
  if (!low) return names.slice(0, MOST);
  const states = RUN_STATES.filter((each) => each.startsWith(low)).map((each) =>
    whole("status", word.startsWith("-") ? `-${each}` : each, ""),
  );
  const flows = (known.workflow ?? [])
    .filter((each) => each.toLowerCase().includes(low))
    .slice(0, 4)
    .map((each) => whole("workflow", each, ""));
  const texts = [
    whole("id", word.trim(), "runs with this in their id"),
    whole("error", word.trim(), "runs with this in their error"),
  ];
  return [...names, ...states, ...flows, ...texts].slice(0, MOST);
}

function nameOf(filter: Filter): Suggestion {
  const text = filter.name === "took" ? filter.name : filter.name + filter.sign;
  return { text, label: text, says: `${filter.says}: ${filter.example}`, isWhole: false };
}

function whole(name: string, value: string, says: string): Suggestion {
  const sign = filterOf(name)?.sign ?? "=";
  const text = name === "took" && /^[<>]/.test(value) ? name + value : name + sign + value;
  return { text, label: visible(text), says, isWhole: true };
}

function valuesOf(filter: Filter, begun: string, known: Known): Suggestion[] {
  const low = begun.trim().toLowerCase();
  // Of several states or tags, the last is being typed.
  const isList = filter.name === "status" || filter.name === "tag";
  const comma = isList ? low.lastIndexOf(",") + 1 : 0;
  const head = begun.trim().slice(0, comma);
  const last = low.slice(comma);
  const values: [string, string][] =
    FIXED[filter.name] ?? (known[filter.name] ?? []).map((each) => [each, ""]);
  return values
    .filter(([value]) => value.toLowerCase().includes(last) && value.toLowerCase() !== low)
    .filter(([value]) => !head || !value.includes(","))
    .sort(
      ([one], [two]) =>
        Number(two.toLowerCase().startsWith(last)) - Number(one.toLowerCase().startsWith(last)),
    )
    .slice(0, MOST)
    .map(([value, says]) => whole(filter.name, head + value, says));
}
