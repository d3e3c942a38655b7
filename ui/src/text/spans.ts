// Spans of time and of durations as people write them: `24h`, `2026-03-16..`, `00:12..01:04`, `>30s`, `1m..10m`.

const UNITS: Record<string, number> = { ms: 0.001, s: 1, m: 60, min: 60, h: 3_600, d: 86_400, w: 604_800 };
const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d|w)$/;

/** Seconds of `30s`, `1.5h`, `500ms`; null if it is none. */
export function readDuration(text: string): number | null {
  const found = DURATION.exec(text.trim().toLowerCase());
  if (!found) return null;
  return Number(found[1]) * (UNITS[found[2] ?? ""] ?? Number.NaN);
}

/** `30s`, `1.5m`, `250ms`: the largest unit in which it is short. */
export function writeDuration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)}ms`;
  for (const [unit, length] of [
    ["d", 86_400],
    ["h", 3_600],
    ["m", 60],
  ] as const) {
    const count = seconds / length;
    if (count >= 1 && Number.isInteger(Math.round(count * 1e6) / 1e5))
      return `${Math.round(count * 10) / 10}${unit}`;
  }
  return `${Number(seconds.toPrecision(3))}s`;
}

/** From and to, in milliseconds; null where it is open. */
export interface TimeSpan {
  from: number | null;
  to: number | null;
}

/** More than and less than, in seconds; null where it is open. */
export interface DurationSpan {
  over: number | null;
  under: number | null;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;
const DAY = 86_400_000;
/** The server knows the years 1 to 9999. A span that goes beyond ends there. */
const EARLIEST = Date.parse("0001-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/** One end of a span, in milliseconds. Dates and clock times are the viewer's; a clock time is the last such. */
function readMoment(text: string, now: number): number | null {
  const ago = readDuration(text);
  if (ago !== null) return now - ago * 1000;
  if (text === "now") return now;
  if (text === "today") return startOfDay(now, 0);
  if (text === "yesterday") return startOfDay(now, -1);
  if (ZONED.test(text)) return valid(Date.parse(text));
  const local = LOCAL.exec(text) ?? DATE.exec(text);
  if (local) {
    const [year, month, day, hour = 0, minute = 0, second = 0] = local
      .slice(1)
      .map((each) => Number(each ?? 0));
    return valid(dateOf(year ?? 0, month ?? 0, day ?? 0, hour, minute, second));
  }
  const clock = CLOCK.exec(text);
  if (!clock) return null;
  const [hour, minute, second] = [Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return null;
  const at = new Date(now).setHours(hour, minute, second, 0);
  return at > now ? new Date(at).setDate(new Date(at).getDate() - 1) : at;
}

function dateOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  const date = new Date(2000, 0, 1, hour, minute, second);
  // `new Date(99, …)` is a day of 1999.
  date.setFullYear(year, month - 1, day);
  // 31 February is no date, whatever JavaScript makes of it.
  return date.getMonth() === month - 1 && date.getDate() === day && hour < 24 && minute < 60
    ? date.getTime()
    : Number.NaN;
}

function valid(at: number): number | null {
  return Number.isNaN(at) ? null : at;
}

function startOfDay(at: number, days: number): number {
  const date = new Date(at);
  date.setDate(date.getDate() + days);
  return date.setHours(0, 0, 0, 0);
}

/** `24h` (the last), `today`, `2026-03-16` (the day), `a..b`, `a..`, `..b`; null if it is none of these. */
export function readTimeSpan(text: string, now: number): TimeSpan | null {
  const span = readWhole(text, now);
  return span && { from: known(span.from), to: known(span.to) };
}

function known(at: number | null): number | null {
  return at === null ? null : Math.min(Math.max(at, EARLIEST), LATEST);
}

function readWhole(text: string, now: number): TimeSpan | null {
  const value = text.trim();
  const dots = value.indexOf("..");
  if (dots < 0) return readOne(value, now);
  const [first, last] = [value.slice(0, dots).trim(), value.slice(dots + 2).trim()];
  if (!first && !last) return null;
  const from = first ? readMoment(first, now) : null;
  let to = last ? readEnd(last, now) : null;
  if ((first && from === null) || (last && to === null)) return null;
  // 23:50..00:10 is over midnight.
  if (from !== null && to !== null && to < from && CLOCK.test(first) && CLOCK.test(last)) to += DAY;
  return from !== null && to !== null && to < from ? null : { from, to };
}

function readOne(value: string, now: number): TimeSpan | null {
  if (value === "yesterday") return { from: startOfDay(now, -1), to: startOfDay(now, 0) };
  if (value === "today" || readDuration(value) !== null) return { from: readMoment(value, now), to: null };
  if (!DATE.test(value)) return null;
  const from = readMoment(value, now);
  return from === null ? null : { from, to: startOfDay(from, 1) };
}

/** The end of a span: a whole day ends when it is over. */
function readEnd(text: string, now: number): number | null {
  const at = readMoment(text, now);
  if (at === null) return null;
  return DATE.test(text) || text === "yesterday" ? startOfDay(at, 1) : at;
}

/** `2026-03-16T23:12Z`: short, and the same for everybody it is sent to. */
export function writeMoment(at: number): string {
  return new Date(at).toISOString().replace(/(:00)?\.000Z$/, "Z");
}

export function writeTimeSpan(span: TimeSpan): string {
  return `${span.from === null ? "" : writeMoment(span.from)}..${span.to === null ? "" : writeMoment(span.to)}`;
}

/** `>30s`, `<5m`, `1m..10m`, `30s..`, `..5s`; null if it is none of these. */
export function readDurationSpan(text: string): DurationSpan | null {
  const value = text.trim();
  if (value.startsWith(">") || value.startsWith("<")) {
    const size = readDuration(value.slice(1).replace(/^=/, ""));
    if (size === null) return null;
    return value.startsWith(">") ? { over: size, under: null } : { over: null, under: size };
  }
  const dots = value.indexOf("..");
  if (dots < 0) return null;
  const [first, last] = [value.slice(0, dots), value.slice(dots + 2)];
  if (!first.trim() && !last.trim()) return null;
  const over = first.trim() ? readDuration(first) : null;
  const under = last.trim() ? readDuration(last) : null;
  if ((first.trim() && over === null) || (last.trim() && under === null)) return null;
  return over !== null && under !== null && under < over ? null : { over, under };
}

export function writeDurationSpan(span: DurationSpan): string {
  if (span.under === null) return `>${writeDuration(span.over ?? 0)}`;
  if (span.over === null) return `<${writeDuration(span.under)}`;
  return `${writeDuration(span.over)}..${writeDuration(span.under)}`;
}
