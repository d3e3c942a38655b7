import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogEntry } from "../../../../api/schema";

let LogFeed: typeof import("./feed.svelte").LogFeed;

const line = (number: number) => ({ offset: String(number), text: `line ${number}` }) as LogEntry;
/** So many lines the log has. */
let total = 0;
let isAway = false;
/** Answers wait for it, with what the log had when it was asked for. */
let gate: Promise<void> | undefined;

async function answer(address: string): Promise<Response> {
  const after = new URL(address, "http://here/").searchParams.get("after");
  const from = after === null ? 0 : Number(after) + 1;
  const items = Array.from({ length: total - from }, (_, index) => line(from + index));
  await gate;
  if (isAway) return new Response("", { status: 503 });
  return Response.json({ items, next: items.at(-1)?.offset ?? after });
}

beforeEach(async () => {
  vi.stubGlobal("document", { baseURI: "http://here/" });
  vi.stubGlobal("fetch", answer);
  ({ LogFeed } = await import("./feed.svelte"));
  [total, isAway, gate] = [2, false, undefined];
});
afterEach(() => vi.unstubAllGlobals());

const texts = (lines: LogEntry[]) => lines.map((each) => each.text);

it("shows each line once when the run ends while its log is read", async () => {
  const feed = new LogFeed("run");
  let open = () => {};
  gate = new Promise((resolve) => (open = resolve));
  const reading = feed.read();
  total = 5;

  await feed.read();
  open();
  await reading;

  expect(texts(feed.lines)).toEqual([0, 1, 2, 3, 4].map((each) => line(each).text));
});

it("goes on behind the last line after the server was away", async () => {
  const feed = new LogFeed("run");
  await feed.read();
  [total, isAway] = [3, true];
  await feed.read();
  expect([feed.problem?.status, feed.mayHaveMore(true)]).toEqual([503, true]);

  isAway = false;
  await feed.read();

  expect([feed.problem, feed.mayHaveMore(true), feed.mayHaveMore(false)]).toEqual([null, false, true]);
  expect(texts(feed.lines)).toEqual([0, 1, 2].map((each) => line(each).text));
});

it("asks for no more while an answer is on its way", async () => {
  const feed = new LogFeed("run");
  let open = () => {};
  gate = new Promise((resolve) => (open = resolve));
  const reading = feed.read();

  expect(feed.mayHaveMore(false)).toBe(false);
  open();
  await reading;

  expect(feed.mayHaveMore(false)).toBe(true);
});
