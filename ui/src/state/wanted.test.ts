import { expect, it } from "vitest";
import { Wanted } from "./wanted";

it("wants what was asked for last, at the place where it was asked for", () => {
  let place = "runs/a";
  const wanted = new Wanted(() => place);

  const first = wanted.ask();
  expect(first()).toBe(true);
  const second = wanted.ask();
  expect([first(), second()]).toEqual([false, true]);

  place = "runs";
  expect(second()).toBe(false);
  place = "runs/a";
  wanted.drop();
  expect(second()).toBe(false);
  expect(wanted.ask()()).toBe(true);
});
