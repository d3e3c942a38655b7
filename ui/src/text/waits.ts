// What a run waits for. The server says it in words for people, but with times as programs write them.
import { shortTime } from "./times";

const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})/g;

/** `promise 'ask'; until tomorrow 02:00`, with times in the viewer's zone. */
export function withShortTimes(waiting: string, now: number): string {
  return waiting.replace(TIME, (at) => shortTime(at, now));
}

/** `add` and `pay` of `update 'add'; update 'pay'`: names to offer. The server knows what is right. */
export function waitedNames(kind: string, waiting: string | null): string[] {
  return [...(waiting ?? "").matchAll(/(?:^|; )(\w+) (['"])(.*?)\2(?=;|$)/g)]
    .filter((each) => each[1] === kind)
    .map((each) => each[3] ?? "");
}

/** `waits for promise 'ask'`, `waits until tomorrow 02:00`. */
export function waitsText(waiting: string, now: number): string {
  const text = withShortTimes(waiting, now);
  return text.startsWith("until ") ? `waits ${text}` : `waits for ${text}`;
}
