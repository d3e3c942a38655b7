// The server's summary as a sentence of the page: names keep their case, times are short and in the viewer's zone.
import { shortTime } from "../../text/times";

const TIME = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})/g;

export function sentenceOf(summary: string, names: ReadonlySet<string>, now: number): string {
  const text = summary.replace(TIME, (at) => shortTime(at, now));
  const first = /^[\w.-]+/.exec(text)?.[0] ?? "";
  const isName = names.has(first) || /[_.\d]/.test(first);
  const begun = isName ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
  return begun === "" || /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
