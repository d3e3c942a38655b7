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

/** `bars` are the places that are taken, in any order. `lines` cross the row, and so go through a note on them.
 * Null: there is no room, or nothing to say. */
export function placeBeside(
  note: string,
  bars: readonly { begin: number; end: number }[],
  room: number,
  lines: readonly number[] = [],
): NotePlace | null {
  const width = note.length * CHARACTER;
  if (width === 0 || width > room || bars.length === 0) return null;
  const sorted = bars.toSorted((one, other) => one.begin - other.begin);
  const first = sorted[0]?.begin ?? 0;
  const last = Math.max(...sorted.map((each) => each.end));
  const beside: NotePlace[] = [];
  if (last + APART + width <= room) beside.push({ x: last + APART, anchor: "start", isOnBars: false, width });
  if (first - APART - width >= 0) beside.push({ x: first - APART, anchor: "end", isOnBars: false, width });
  let end = 0;
  for (const each of sorted) {
    const isWide = end > 0 && each.begin - end >= width + 2 * APART;
    if (isWide) beside.push({ x: end + APART, anchor: "start", isOnBars: false, width });
    end = Math.max(end, each.end);
  }
  const found = beside.find((place) => lines.every((line) => !isCrossed(place, line))) ?? beside[0];
  if (found) return found;
  return {
    x: middleOf(Math.max(first, 0), Math.min(last, room), width, lines),
    anchor: "middle",
    isOnBars: true,
    width,
  };
}

function isCrossed({ x, anchor, width }: NotePlace, line: number): boolean {
  const begin = anchor === "start" ? x : x - width;
  return begin < line && line < begin + width;
}

/** The middle of the widest part between two lines, or of all of it if no part is wide enough. */
function middleOf(from: number, to: number, width: number, lines: readonly number[]): number {
  const ends = [from, ...lines.filter((line) => from < line && line < to), to];
  const parts = ends.slice(1).map((end, index) => ({ begin: ends[index]!, end }));
  const widest = parts.toSorted((one, other) => other.end - other.begin - (one.end - one.begin))[0];
  if (!widest || widest.end - widest.begin < width + 2 * APART) return (from + to) / 2;
  return (widest.begin + widest.end) / 2;
}
