// Where a note of a row stands: behind its bars, before them, between two of them, or else on them.

export interface NotePlace {
  x: number;
  anchor: "start" | "middle" | "end";
  /** It lies on the middle of the bars, and needs a plate to be read. */
  isOnBars: boolean;
  width: number;
}

const CHARACTER = 6.2;
const APART = 7;

/** `bars` are the places that are taken, in any order. Null: there is no room, or nothing to say. */
export function placeBeside(
  note: string,
  bars: readonly { begin: number; end: number }[],
  room: number,
): NotePlace | null {
  const width = note.length * CHARACTER;
  if (width === 0 || width > room || bars.length === 0) return null;
  const sorted = bars.toSorted((one, other) => one.begin - other.begin);
  const first = sorted[0]?.begin ?? 0;
  const last = Math.max(...sorted.map((each) => each.end));
  if (last + APART + width <= room) return { x: last + APART, anchor: "start", isOnBars: false, width };
  if (first - APART - width >= 0) return { x: first - APART, anchor: "end", isOnBars: false, width };
  let end = 0;
  for (const each of sorted) {
    const isWide = end > 0 && each.begin - end >= width + 2 * APART;
    if (isWide) return { x: end + APART, anchor: "start", isOnBars: false, width };
    end = Math.max(end, each.end);
  }
  const middle = (Math.max(first, 0) + Math.min(last, room)) / 2;
  return { x: middle, anchor: "middle", isOnBars: true, width };
}
