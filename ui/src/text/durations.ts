// Durations in at most two units. A number and its unit do not break.
const NBSP = "\u00a0";

const UNITS: [string, number][] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** `38 s`, `6 h 31 min`, `640 ms`, `1.8 s`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return "–";
  const size = Math.abs(seconds);
  if (size < 0.9995) return `${Math.round(size * 1000)}${NBSP}ms`;
  if (size < 9.95) return `${trim(size.toFixed(1))}${NBSP}s`;
  let rest = Math.round(size);
  for (const [index, [unit, length]] of UNITS.entries()) {
    if (rest < length) continue;
    const count = Math.floor(rest / length);
    rest -= count * length;
    const next = UNITS[index + 1];
    const second = next ? Math.floor(rest / next[1]) : 0;
    const first = `${count.toLocaleString("en")}${NBSP}${unit}`;
    if (!next || second === 0 || (unit === "d" && count >= 10)) return first;
    const digits = next[0] === "h" ? String(second) : String(second).padStart(2, "0");
    return `${first}${NBSP}${digits}${NBSP}${next[0]}`;
  }
  return `0${NBSP}s`;
}

function trim(text: string): string {
  return text.replace(/\.0$/, "");
}

/** Between two times of the API, in seconds; to now if the second is missing. */
export function between(
  begin: string | null | undefined,
  end: string | null | undefined,
  now: number,
): number | null {
  if (!begin) return null;
  return ((end ? exact(end) : now) - exact(begin)) / 1000;
}

/** In milliseconds with their fraction, which `Date.parse` drops: 12.9 ms would be 12 or 13. */
export function exact(at: string): number {
  const rest = /\.\d{3}(\d+)/.exec(at)?.[1] ?? "";
  return Date.parse(at) + (rest ? Number(`0.${rest}`) : 0);
}
