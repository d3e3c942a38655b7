import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { JournalStep } from "../../../../api/schema";

let JournalWindow: typeof import("./window.svelte").JournalWindow;
/** How many steps the journal has, and how many of them the server puts into a page. */
let total = 1_000;
let perPage = 200;
let asked: number[] = [];
/** Answers wait for it, with what the journal had when it was asked for. */
let gate: Promise<void> | undefined;

async function answer(address: string): Promise<Response> {
  const query = new URL(address, "http://here/").searchParams;
  const after = query.get("after");
  const from = after === null ? 0 : Number(after) + 1;
  const end = Math.min(total, from + Math.min(perPage, Number(query.get("limit"))));
  const items = Array.from({ length: Math.max(0, end - from) }, (_, index) => ({ position: from + index }));
  asked.push(from);
  const body = JSON.stringify({ items, next: items.length && end < total ? String(end - 1) : null });
  await gate;
  return new Response(body, { headers: { "content-type": "application/json" } });
}

beforeEach(async () => {
  vi.stubGlobal("document", { baseURI: "http://here/" });
  vi.stubGlobal("fetch", answer);
  ({ JournalWindow } = await import("./window.svelte"));
  [total, perPage, asked, gate] = [1_000, 200, [], undefined];
});
afterEach(() => vi.unstubAllGlobals());

function isWhole(steps: JournalStep[]): boolean {
  return steps.every((step, index) => step.position === (steps[0]?.position ?? 0) + index);
}

it("leaves no gap before what is loaded when the server ends a page early", async () => {
  const journal = new JournalWindow("run");
  await journal.jump(700);
  const first = journal.first;
  perPage = 30;

  await journal.earlier();

  expect(journal.first).toBe(first - 200);
  expect(isWhole(journal.steps)).toBe(true);
});

it("asks for no more than a page has once it knows that steps are large", async () => {
  const journal = new JournalWindow("run");
  await journal.jump(700);
  perPage = 30;
  await journal.earlier();
  asked = [];

  await journal.earlier();

  expect(asked).toHaveLength(1);
  expect(isWhole(journal.steps)).toBe(true);
});

it("finds a step that is behind the end of the first page", async () => {
  perPage = 7;
  const journal = new JournalWindow("run");

  await journal.jump(500);

  expect(journal.first).toBeLessThan(500);
  expect(journal.last).toBeGreaterThanOrEqual(500);
  expect(isWhole(journal.steps)).toBe(true);
});

it("is not at the end any more after a jump back from it", async () => {
  const journal = new JournalWindow("run");
  await journal.jump(999);
  expect(journal.isAtEnd).toBe(true);

  await journal.jump(0);
  expect(journal.isAtEnd).toBe(false);

  await journal.later();
  expect(journal.last).toBe(399);
});

it.each([
  ["is opened", 0],
  ["reads on", 10],
])("has the last steps of a run that ends while it %s", async (_, known) => {
  const journal = new JournalWindow("run");
  total = known;
  if (known) await journal.jump(0);
  total = 12;
  let open = () => {};
  gate = new Promise((resolve) => (open = resolve));
  const reading = known ? journal.grow() : journal.jump(0);

  total = 15;
  await journal.grow();
  await journal.grow();
  open();
  await reading;

  await vi.waitFor(() => expect(journal.last).toBe(14));
  expect(isWhole(journal.steps)).toBe(true);
  expect(journal.isAtEnd).toBe(true);
});

it("reads nothing of a run that goes on far behind what is looked at", async () => {
  const journal = new JournalWindow("run");
  await journal.jump(0);
  asked = [];

  await journal.grow();

  expect(asked).toEqual([]);
});

it("is at the place that was jumped to last, whatever is on its way", async () => {
  const journal = new JournalWindow("run");
  await journal.jump(0);
  let open = () => {};
  gate = new Promise((resolve) => (open = resolve));
  const jumps = [journal.jump(999), journal.jump(0)];

  open();
  await Promise.all(jumps);

  expect(journal.first).toBe(0);
});
