// The next ticks as lines: on the clocks of the schedule and here, with changes of the clocks between them.
import type { ComingTick } from "../../api/schema";
import { duration } from "../../text/durations";
import { shortTime } from "../../text/times";
import { inZone, moveOf, placeOf, type ClockChange } from "../../text/zones";

export interface ComingLine {
  day: string;
  time: string;
  /** The time on the viewer's clocks; "" if they show the same. */
  here: string;
  /** Set if the line is not a tick but a change of the clocks. */
  change: string;
}

export function comingLines(
  coming: ComingTick[],
  changes: ClockChange[],
  zone: string,
  here: string,
  most: number,
): ComingLine[] {
  const lines: ComingLine[] = [];
  let before = -Infinity;
  for (const { tick, at } of coming.slice(0, most)) {
    const time = Date.parse(tick);
    for (const change of changes) {
      const changed = Date.parse(change.at);
      if (before !== -Infinity && changed > before && changed <= time)
        lines.push({
          day: "",
          time: "",
          here: "",
          change: `The clocks of ${placeOf(zone)} ${moveOf(change)}.`,
        });
    }
    before = time;
    const own = [hereText(tick, zone, here), laterText(tick, at)].filter(Boolean).join(", ");
    lines.push({ ...inZone(tick, zone), here: own, change: "" });
  }
  return lines;
}

/** `17:00`, `16:45:55`, `tomorrow 02:00`: seconds only if there are some. */
export function nextText(at: string, now: number): string {
  return shortTime(at, now).replace(/^(\d\d:\d\d):00$/, "$1");
}

/** `Tue 22:00 here`, `10:00 here`; "" if the clocks of the zone show the same. */
export function hereText(tick: string, zone: string, here: string): string {
  const [there, own] = [inZone(tick, zone), inZone(tick, here)];
  if (own.day !== there.day) return `${own.day.split(" ", 1)[0]} ${own.time} here`;
  return own.time === there.time ? "" : `${own.time} here`;
}

/** `fires 12 s later`; "" if it fires when it is due. */
function laterText(tick: string, at: string): string {
  const later = (Date.parse(at) - Date.parse(tick)) / 1000;
  return later >= 1 ? `fires ${duration(later)} later` : "";
}
