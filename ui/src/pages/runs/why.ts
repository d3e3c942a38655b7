// Where a run is, or where and why it ended, in a line.
import type { RunInfo } from "../../api/schema";
import { shortened, visible } from "../../text/safe";
import { withShortTimes } from "../../text/waits";

export interface Why {
  /** The function in which it failed. */
  where: string;
  text: string;
}

const FRAME = /^ {2}File ".*", line \d+, in (.+)$/gm;
const MOST = 300;

/** `PaymentDeclined` of `shop.payments:PaymentDeclined`. */
export function errorName(type: string): string {
  return type.split(/[:.]/).at(-1) || type;
}

/** The function that raised it. What came later, where it was raised again, is the way out. */
export function placeOf(traceback: string): string {
  const first = traceback.slice(0, 20_000).split("\n\nIt was raised again:")[0] ?? "";
  const name = [...first.matchAll(FRAME)].at(-1)?.[1] ?? "";
  return name.startsWith("<") ? "" : name;
}

export function whyOf(run: Pick<RunInfo, "status" | "failure" | "waiting" | "note">, now: number): Why {
  const { failure } = run;
  if (failure && run.status !== "success") {
    const message = failure.message ? `: ${failure.message}` : "";
    const line = `${errorName(failure.type)}${message}`.split("\n", 1)[0] ?? "";
    return { where: placeOf(failure.traceback ?? ""), text: shortened(line, MOST).text };
  }
  if (run.waiting) {
    const line = shortened(run.waiting.split("\n", 1)[0] ?? "", MOST).text;
    return { where: "", text: withShortTimes(line, now) };
  }
  return { where: "", text: shortened(run.note.split("\n", 1)[0] ?? "", MOST).text };
}

/** `v31`; a version that is a hash or a word is said as it is. */
export function versionText(version: string): string {
  if (/^\d+$/.test(version)) return `v${version}`;
  return version.replace(/^(auto-[0-9a-f]{6})[0-9a-f]+$/, "$1");
}

const KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})$/;

/** A run without an id of its own has a key, whose first half is the time: the rest tells runs apart. */
export function idText(id: string): string {
  const tail = KEY.exec(id)?.[1];
  return tail ? `${id.slice(0, 8)}…${tail}` : visible(id);
}
