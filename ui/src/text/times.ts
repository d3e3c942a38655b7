// Times in the viewer's zone. What is shown short has the whole time with its zone as its title.
import { duration } from "./durations";

const clockOf = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const minuteOf = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayOf = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "long" });
const yearOf = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
const wholeOf = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  timeZoneName: "longOffset",
});

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `Tuesday, 17 March 2026, 08:47:22.114 GMT+01:00 (Europe/Berlin)` */
export function wholeTime(at: string | number): string {
  return `${wholeOf.format(new Date(at))} (${zone})`;
}

export function timeOfDay(at: string | number, options: { seconds?: boolean } = { seconds: true }): string {
  return (options.seconds === false ? minuteOf : clockOf).format(new Date(at));
}

/** `08:47:22`, `yesterday 08:47`, `tomorrow 02:00`, `Mon 16 March 08:47`, `3 March 2025`. */
export function shortTime(at: string | number, now: number): string {
  const then = new Date(at);
  const days = Math.round((startOfDay(then) - startOfDay(new Date(now))) / 86_400_000);
  if (days === 0) return clockOf.format(then);
  const minute = minuteOf.format(then);
  if (days === -1) return `yesterday ${minute}`;
  if (days === 1) return `tomorrow ${minute}`;
  if (Math.abs(days) < 300) return `${dayOf.format(then).replace(",", "")} ${minute}`;
  return yearOf.format(then);
}

function startOfDay(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** When something comes: `38 s`; `due for 15 s` if it should have come. */
export function untilText(at: string | number, now: number): string {
  const text = relative(at, now);
  return text.endsWith(" ago") ? `due for ${text.slice(0, -4)}` : text.replace(/^in /, "");
}

/** `6 min ago`, `in 38 s`, `now`. */
export function relative(at: string | number, now: number): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  const text = duration(Math.max(1, Math.floor(Math.abs(seconds))));
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}
