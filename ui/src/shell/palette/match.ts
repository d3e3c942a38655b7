// How well a text fits what was typed, and which letters of it are marked.

export interface Match {
  score: number;
  /** Begin and end of each part that fits, in order and apart. */
  marks: [number, number][];
}

/** Each word that was typed must occur. The begin of a text counts more than of a word, and that more than its middle. */
export function match(text: string, typed: string): Match | null {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return { score: 0, marks: [] };
  const lower = text.toLowerCase();
  const marks: [number, number][] = [];
  let score = 0;
  for (const word of words) {
    const at = bestPlace(lower, word);
    if (at < 0) return null;
    score += at === 0 ? 4 : isBegin(lower, at) ? 3 : 1;
    marks.push([at, at + word.length]);
  }
  if (lower === words.join(" ")) score += 4;
  // Of two that fit as well, the shorter is meant.
  return { score: score - Math.min(text.length, 200) / 1_000, marks: joined(marks) };
}

function bestPlace(text: string, word: string): number {
  const first = text.indexOf(word);
  for (let at = first; at >= 0; at = text.indexOf(word, at + 1)) if (isBegin(text, at)) return at;
  return first;
}

function isBegin(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? "");
}

function joined(marks: [number, number][]): [number, number][] {
  const found: [number, number][] = [];
  for (const [begin, end] of marks.toSorted((one, two) => one[0] - two[0])) {
    const last = found.at(-1);
    if (last && begin <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([begin, end]);
  }
  return found;
}

/** The text in parts, those that fit apart from the others. */
export function partsOf(text: string, marks: [number, number][]): { text: string; isMarked: boolean }[] {
  const parts: { text: string; isMarked: boolean }[] = [];
  let at = 0;
  for (const [begin, end] of marks) {
    if (begin > at) parts.push({ text: text.slice(at, begin), isMarked: false });
    parts.push({ text: text.slice(begin, end), isMarked: true });
    at = end;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMarked: false });
  return parts;
}
