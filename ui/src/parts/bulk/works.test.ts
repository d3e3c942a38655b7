import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { wordsOf } from "./acts";

let Work: typeof import("./works.svelte").Work;
let isAway = false;
let status = 200;
let asked = 0;
const job = {
  matched: 36,
  done: 12,
  failed: 0,
  ends_at: null,
  problem: "",
  finished_at: null as string | null,
};

function answer(): Promise<Response> {
  asked += 1;
  if (isAway) return Promise.reject(new TypeError("Failed to fetch"));
  return Promise.resolve(
    Response.json(status === 200 ? job : { detail: "There is no such job." }, { status }),
  );
}

beforeEach(async () => {
  vi.stubGlobal("document", { baseURI: "http://here/" });
  vi.stubGlobal("fetch", answer);
  vi.useFakeTimers();
  ({ Work } = await import("./works.svelte"));
  [isAway, status, asked, job.finished_at] = [false, 200, 0, null];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("says that the server is away, and goes on when it has come back", async () => {
  const work = new Work(wordsOf("retry"), "job");
  const watching = work.watch();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work.sentence).toBe("Retrying 36 runs: 12 done.");

  isAway = true;
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(work.isOver).toBe(false);
  expect(work.sentence).toBe("Retrying 36 runs: 12 done. The server does not answer; the job may go on.");
  expect(asked).toBeLessThan(140);

  [isAway, job.finished_at] = [false, "2026-01-01T00:00:00Z"];
  await vi.advanceTimersByTimeAsync(6_000);
  await watching;
  expect(work.sentence).toBe("Retry of 36 runs: 12 done.");
});

it("is not asked for any more when it is dropped", async () => {
  const work = new Work(wordsOf("retry"), "job");
  const watching = work.watch();
  isAway = true;
  await vi.advanceTimersByTimeAsync(10_000);

  work.drop();
  await vi.advanceTimersByTimeAsync(10_000);
  await watching;
  const before = asked;
  await vi.advanceTimersByTimeAsync(60_000);

  expect(asked).toBe(before);
});

it("ends with the reason when the server has no such job", async () => {
  const work = new Work(wordsOf("retry"), "job");
  status = 404;

  await work.watch();

  expect(work.sentence).toBe("Retry of runs: 0 done. It stopped: There is no such job.");
});
