import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Pulse } from "./live.svelte";
import type { Options } from "./resource.svelte";

let module: typeof import("./resource.svelte");
let problem: Error;

/** What was asked for, in order, and how to answer it. */
let asked: { key: string; answer: (data: string) => Promise<void>; refuse: () => Promise<void> }[] = [];
let leave = () => {};
let place = $state.raw({ run: "a", filter: "" });

beforeEach(async () => {
  vi.stubGlobal("document", { baseURI: "http://here/", hidden: false });
  // The clock of the pages ticks for ever.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  module = await import("./resource.svelte");
  const { Problem } = await import("../api/client");
  problem = new Problem(503, "store_unavailable", "The database does not answer.");
  module.forgetAll();
  [asked, place] = [[], { run: "a", filter: "" }];
});
afterEach(() => {
  leave();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const keyOf = () => `${place.run} ${place.filter}`;

function open(options: Options = {}, key: () => string | null = keyOf) {
  const load = () =>
    new Promise<string>((resolve, reject) => {
      const settle = async (act: () => void) => {
        act();
        await new Promise((done) => setTimeout(done));
      };
      asked.push({
        key: key() ?? "",
        answer: (data) => settle(() => resolve(data)),
        refuse: () => settle(() => reject(problem)),
      });
    });
  let made: ReturnType<typeof module.resource<string>> | undefined;
  leave = $effect.root(() => void (made = module.resource(key, load, options)));
  flushSync();
  return made as NonNullable<typeof made>;
}

function go(to: Partial<typeof place>): void {
  place = { ...place, ...to };
  flushSync();
}

it("shows nothing of one run under another, also when what is asked for does not come", async () => {
  const found = open();
  await asked[0]?.answer("of a");
  expect(found.data).toBe("of a");

  go({ run: "b" });
  expect(found.data).toBeUndefined();

  await asked[1]?.refuse();
  expect(found.data).toBeUndefined();
  expect(found.problem).toBe(problem);
});

it("keeps what is of the same subject until the new is there, and of no other", async () => {
  const found = open({ subject: () => place.run });
  await asked[0]?.answer("all of a");

  go({ filter: "failed" });
  expect(found.data).toBe("all of a");
  await asked[1]?.answer("failed of a");
  expect(found.data).toBe("failed of a");

  go({ run: "b" });
  expect(found.data).toBeUndefined();
});

it("shows at once what was loaded before for the key", async () => {
  const found = open();
  await asked[0]?.answer("of a");
  go({ run: "b" });
  await asked[1]?.answer("of b");

  go({ run: "a" });

  expect(found.data).toBe("of a");
});

it("does not say under a key what went wrong under another", async () => {
  const found = open();
  await asked[0]?.refuse();
  expect(found.problem).toBe(problem);

  go({ run: "b" });

  expect(found.problem).toBeNull();
});

it("shows nothing while the key is null", async () => {
  const found = open({ subject: () => "all" }, () => (place.run === "none" ? null : keyOf()));
  await asked[0]?.answer("of a");

  go({ run: "none" });

  expect(found.data).toBeUndefined();
});

it("is not loaded again when its key is made again and is the same", async () => {
  open({}, () => `of ${place.run}`);
  await asked[0]?.answer("of a");

  go({ filter: "failed" });

  expect(asked).toHaveLength(1);
});

it("leaves it to the page to say that the server is away, unless there is nothing to show", async () => {
  const { live } = await import("./live.svelte");
  const found = open();
  await asked[0]?.refuse();
  vi.spyOn(live, "state", "get").mockReturnValue("lost");
  expect(found.problem).toBe(problem);

  void found.reload();
  await asked[1]?.answer("of a");
  void found.reload();
  await asked[2]?.refuse();

  expect(found.data).toBe("of a");
  expect(found.problem).toBeNull();
});

async function listening(options: Options): Promise<(pulse: Partial<Pulse>) => Promise<void>> {
  const { live } = await import("./live.svelte");
  const heard = vi.spyOn(live, "listen");
  open({ every: 0, ...options });
  await asked[0]?.answer("before");
  const quiet = { created: 0, succeeded: 0, failed: 0, cancelled: 0, tasks: 0, messages: 0 };
  return async (pulse) => {
    const whole = { at: "", ...quiet, runs: [], changes: [], is_cut: false, is_away: false, ...pulse };
    heard.mock.calls.forEach(([hear]) => hear(whole));
    await new Promise((resolve) => setTimeout(resolve, 30));
  };
}

it("loads again after a gap of which nothing is known, whatever changes it listens for", async () => {
  const tell = await listening({ on: (pulse) => pulse.failed > 0 });

  await tell({});
  expect(asked).toHaveLength(1);

  await tell({ is_cut: true });
  expect(asked).toHaveLength(2);
});

it("does not load again after a gap if changes do not matter to it", async () => {
  const tell = await listening({});

  await tell({ is_cut: true });

  expect(asked).toHaveLength(1);
});
