// The grain of a fan-out: one square a task, in order. The slower a task, the stronger its square.

export interface GrainData {
  name: string;
  count: number;
  took: readonly (number | null)[];
  /** One letter a task: p d r s f k c. */
  states: string;
  /** The indexes of those that took more than one attempt. */
  retried: readonly number[];
}

/** Columns and rows of squares; `pitch` is from one square to the next. */
export interface Squares {
  pitch: number;
  size: number;
  columns: number;
  rows: number;
}

const PITCHES = [10, 8, 6, 5, 4, 3, 2];
const HIGHEST = 90;

/** The largest squares that do not get too high; the smallest are 2 pixels, however many there are. */
export function squaresFor(count: number, width: number): Squares {
  const room = Math.max(20, width);
  for (const pitch of PITCHES) {
    const columns = Math.max(1, Math.floor(room / pitch));
    const rows = Math.max(1, Math.ceil(count / columns));
    if (rows * pitch <= HIGHEST || pitch === 2)
      return { pitch, size: pitch >= 4 ? pitch - 1 : pitch, columns, rows };
  }
  throw new Error("the last pitch fits always");
}

export function placeOf(index: number, squares: Squares): { x: number; y: number } {
  return {
    x: (index % squares.columns) * squares.pitch,
    y: Math.floor(index / squares.columns) * squares.pitch,
  };
}

export function indexAt(x: number, y: number, squares: Squares, count: number): number | null {
  const column = Math.floor(x / squares.pitch);
  const row = Math.floor(y / squares.pitch);
  if (column < 0 || row < 0 || column >= squares.columns) return null;
  const index = row * squares.columns + column;
  return index < count ? index : null;
}

/** Where a key leads from a square; null if the key is not one of ours. */
export function moved(index: number, key: string, squares: Squares, count: number): number | null {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -squares.columns,
    ArrowDown: squares.columns,
    PageUp: -10 * squares.columns,
    PageDown: 10 * squares.columns,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  return step === undefined ? null : Math.min(count - 1, Math.max(0, index + step));
}

/** Durations that divide the four shades: most are quick, few are slow. */
export function thresholdsOf(took: readonly (number | null)[]): [number, number, number] {
  const known = took.filter((each): each is number => each !== null).sort((one, other) => one - other);
  const at = (share: number) =>
    rounded(known[Math.min(known.length - 1, Math.floor(known.length * share))] ?? 0);
  return [at(0.5), at(0.8), at(0.95)];
}

/** Two digits are enough to tell shades apart. */
function rounded(seconds: number): number {
  if (seconds <= 0) return 0;
  const size = 10 ** (Math.floor(Math.log10(seconds)) - 1);
  return Number((Math.round(seconds / size) * size).toPrecision(2));
}

/** 0 to 3 for how slow, or what else there is to say. */
export type Shade = 0 | 1 | 2 | 3 | "failed" | "running" | "open" | "off";

export function shadeOf(
  state: string,
  took: number | null,
  [low, middle, high]: [number, number, number],
): Shade {
  if (state === "f") return "failed";
  if (state === "r") return "running";
  if (state === "p" || state === "d") return "open";
  if (state !== "s") return "off";
  const seconds = took ?? 0;
  return seconds <= low ? 0 : seconds <= middle ? 1 : seconds <= high ? 2 : 3;
}

const NAMES: Record<string, string> = {
  p: "pending",
  d: "dispatched",
  r: "running",
  s: "success",
  f: "failed",
  k: "skipped",
  c: "cancelled",
};

export function stateName(letter: string): string {
  return NAMES[letter] ?? "pending";
}

/** The indexes of the slowest, the slowest first. One pass with a short list: there may be 100,000. */
export function slowest(took: readonly (number | null)[], most: number): number[] {
  const found: number[] = [];
  took.forEach((seconds, index) => {
    if (seconds === null) return;
    const last = found[found.length - 1];
    if (found.length >= most && last !== undefined && seconds <= (took[last] ?? 0)) return;
    const place = found.findIndex((each) => (took[each] ?? 0) < seconds);
    found.splice(place < 0 ? found.length : place, 0, index);
    if (found.length > most) found.pop();
  });
  return found;
}

/** How many took how long, in equal steps from nothing to the longest. */
export function histogram(
  took: readonly (number | null)[],
  bins: number,
): { counts: number[]; most: number } {
  let most = 0;
  for (const each of took) if (each !== null && each > most) most = each;
  const counts = new Array<number>(bins).fill(0);
  if (most === 0) return { counts, most };
  for (const each of took) {
    if (each === null) continue;
    const bin = Math.min(bins - 1, Math.floor((each / most) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { counts, most };
}
