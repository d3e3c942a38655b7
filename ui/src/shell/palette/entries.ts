// What the palette lists, in which order, and where a late answer goes.
import { match, type Match } from "./match";

export interface Entry {
  /** Unique: `run 01a…`, `page runs`. */
  id: string;
  group: string;
  title: string;
  note?: string;
  icon?: string;
  mark?: string;
  waiting?: string | null;
  keys?: string[];
  isMono?: boolean;
  /** Also searched, though it is not shown: the key of a run. */
  more?: string;
  go: () => void;
  /** What else can be done with it. */
  others?: Entry[];
}

export interface Found extends Entry {
  marks: [number, number][];
  score: number;
}

const MOST = 6;
const ORDER = ["Runs", "Workflows", "Schedules", "Pages", "Do", "Here"];

/** Those that fit, in groups, the best of each first. A group in which something fits better comes earlier. */
export function found(entries: Entry[], typed: string, most = MOST): Found[] {
  const text = typed.trim();
  const groups = new Map<string, Found[]>();
  for (const each of entries) {
    const fit = fitOf(each, text);
    if (!fit) continue;
    const list = groups.get(each.group) ?? [];
    list.push({ ...each, marks: fit.marks, score: fit.score });
    groups.set(each.group, list);
  }
  const ordered = [...groups.entries()].sort(([one], [two]) => place(one) - place(two));
  return ordered.flatMap(([, list]) =>
    (text ? list.toSorted((one, two) => two.score - one.score) : list).slice(0, most),
  );
}

function place(group: string): number {
  const at = ORDER.indexOf(group);
  return at < 0 ? ORDER.length : at;
}

function fitOf(entry: Entry, text: string): Match | null {
  const own = match(entry.title, text);
  if (own) return own;
  const whole = match(`${entry.title} ${entry.note ?? ""} ${entry.more ?? ""}`, text);
  return whole ? { score: whole.score - 2, marks: [] } : null;
}

/** Late answers go to the end, whatever they are: nothing moves above or under the cursor. */
export function withLate(shown: Found[], late: Found[]): Found[] {
  const known = new Set(shown.map((each) => each.id));
  return [...shown, ...late.filter((each) => !known.has(each.id))];
}

/** The one entry whose id or key begins with what was typed: six characters are enough. */
export function straightTo(entries: Entry[], typed: string): Entry | null {
  const text = typed.trim().toLowerCase();
  if (text.length < 6 || /\s/.test(text)) return null;
  const fits = entries.filter(
    (each) =>
      each.group === "Runs" &&
      (each.title.toLowerCase().startsWith(text) || (each.more ?? "").toLowerCase().startsWith(text)),
  );
  const exact = fits.find((each) => each.title.toLowerCase() === text);
  return exact ?? (fits.length === 1 ? (fits[0] ?? null) : null);
}
