// Times on the clocks of a time zone, and what its clocks do.
import { duration } from "./durations";

const formats = new Map<string, [Intl.DateTimeFormat, Intl.DateTimeFormat]>();

function formatsOf(zone: string): [Intl.DateTimeFormat, Intl.DateTimeFormat] {
  let found = formats.get(zone);
  if (!found) {
    const of = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
    found = [
      of({ weekday: "short", day: "numeric", month: "long" }),
      of({ hour: "2-digit", minute: "2-digit", second: "2-digit" }),
    ];
    formats.set(zone, found);
  }
  return found;
}

/** Whether this browser knows the time zone. The server may know more of them. */
export function isKnown(zone: string): boolean {
  try {
    formatsOf(zone);
    return true;
  } catch {
    return false;
  }
}

export interface ZonedTime {
  /** `Tue 17 March` */
  day: string;
  /** `18:00`; with seconds if they are not zero. */
  time: string;
}

/** The time that the clocks of the zone show. In UTC if this browser does not know the zone. */
export function inZone(at: string | number, zone: string): ZonedTime {
  const [day, time] = formatsOf(isKnown(zone) ? zone : "UTC");
  const then = new Date(at);
  return { day: day.format(then).replace(",", ""), time: time.format(then).replace(/:00$/, "") };
}

/** `Berlin` of `Europe/Berlin`; `UTC`. */
export function placeOf(zone: string): string {
  return zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");
}

/** `+01:00`, of seconds. */
export function offsetText(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${seconds < 0 ? "−" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export interface ClockChange {
  at: string;
  /** UTC offsets in seconds. */
  before: number;
  after: number;
}

/** `go forward by 1 h`, `go back by 30 min`. */
export function moveOf(change: ClockChange): string {
  const seconds = change.after - change.before;
  return `go ${seconds > 0 ? "forward" : "back"} by ${duration(Math.abs(seconds))}`;
}
