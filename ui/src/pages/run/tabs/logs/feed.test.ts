import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogEntry } from "../../../../api/schema";

let LogFeed: typeof import("./feed.svelte").LogFeed;

const line = (number: number) => ({ offset: String(number), text: `line ${number}` }) as LogEntry;
/** The lines that the log has, and how many of them were there before anybody followed it. */
const LOG = [0, 1, 2, 3, 4].map(line);
const BEFORE = 2;
let isOver = false;

function answer(address: string): Promise<Response> {
  const query = new URL(address, "http://here/").searchParams;
  const from = query.get("after") === null ? 0 : Number(query.get("after")) + 1;
  if (query.get("follow") === null) {
    const items = LOG.slice(from, isOver ? LOG.length : BEFORE);
    return Promise.resolve(Response.json({ items, next: null }));
  }
  isOver = true;
  const told = LOG.slice(from, 4).map((each) => `id: ${each.offset}\ndata: ${JSON.stringify(each)}\n\n`);
  return Promise.resolve(new Response(`${told.join("")}event: end\ndata: {}\n\n`));
}

beforeEach(async () => {
  vi.stubGlobal("document", { baseURI: "http://here/" });
  vi.stubGlobal("fetch", answer);
  ({ LogFeed } = await import("./feed.svelte"));
  isOver = false;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("shows each line once when the run ends before the last lines are drawn", async () => {
  vi.useFakeTimers();
  const feed = new LogFeed("run", () => isOver);

  const done = feed.start();
  await vi.advanceTimersByTimeAsync(5_000);
  await done;

  expect(feed.lines.map((each) => each.text)).toEqual(LOG.map((each) => each.text));
});
