import { expect, it } from "vitest";
import { Problem } from "../api/client";
import { MessageId, newMessageId, Once } from "./once";

it("makes ids that differ", () => {
  expect(newMessageId((bytes) => bytes.fill(7))).toBe(`page-${"07".repeat(16)}`);
  expect(newMessageId()).not.toBe(newMessageId());
});

it("sends the same under the same id, and anything else under another", () => {
  const id = new MessageId();
  const first = id.of(["add", [1]]);
  id.refused(503);
  expect(id.of(["add", [1]])).toBe(first);
  expect(id.of(["add", [2]])).not.toBe(first);
});

it("sends what was refused under another id, since the refusal is the answer to the first", () => {
  const id = new MessageId();
  const first = id.of(["add", [1]]);
  id.refused(409);
  expect(id.of(["add", [1]])).not.toBe(first);
});

it("sends what has no answer again with the same key, and what is answered or changed with another", async () => {
  const asking = new Once();
  const keys: string[] = [];
  const send = (content: string, status: number) =>
    asking
      .ask(content, (key) => {
        keys.push(key);
        return status === 200 ? Promise.resolve() : Promise.reject(new Problem(status, "", ""));
      })
      .catch(() => {});

  for (const status of [0, 502, 200, 409, 0]) await send("go", status);
  await send("stop", 200);

  const [lost, passing, answered, refused, again, changed] = keys;
  expect([passing, answered]).toEqual([lost, lost]);
  expect(new Set([lost, refused, again, changed]).size).toBe(4);
});
