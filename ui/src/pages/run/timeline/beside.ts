// Where a note of a row stands: behind its bars, else before them, else on them.

export interface NotePlace {
  x: number;
  anchor: "start" | "end";
  /** It lies on the bars, and needs a plate to be read. */
  isOnBars: boolean;
  width: number;
}

const CHARACTER = 6.2;
const APART = 7;

/** `bars` are from the begin of the first to the end of the last. Null: there is no room, or nothing to say. */
export function placeBeside(
  note: string,
  bars: { begin: number; end: number },
  room: number,
): NotePlace | null {
  const width = note.length * CHARACTER;
  if (width === 0 || width > room) return null;
  if (bars.end + APART + width <= room)
    return { x: bars.end + APART, anchor: "start", isOnBars: false, width };
  if (bars.begin - APART - width >= 0)
    return { x: bars.begin - APART, anchor: "end", isOnBars: false, width };
  return { x: Math.max(width + 8, Math.min(bars.end, room) - 16), anchor: "end", isOnBars: true, width };
}
