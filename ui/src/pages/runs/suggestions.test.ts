import { expect, test } from "vitest";
import { readWord, Refusal } from "./filters";
import { suggest } from "./suggestions";

const known = { workflow: ["fulfil", "refund", "nightly"], schedule: ["hourly"], tag: ["eu", "large"] };
const texts = (typed: string) => suggest(typed, known).map((each) => each.text);

test("without a word, the names of all filters are offered", () => {
  expect(texts("")).toContain("status=");
  expect(texts("")).toContain("error~");
  expect(texts("")).not.toContain("brush=");
});

test("a name is completed, and then its values", () => {
  expect(texts("wor")[0]).toBe("workflow=");
  expect(texts("workflow=f")).toEqual(["workflow=fulfil", "workflow=refund"]);
  expect(texts("took>")[0]).toBe("took>1s");
  expect(texts("schedule=")).toEqual(["schedule=hourly"]);
});

test("a second state or tag is added to the first", () => {
  expect(texts("status=failed,pa")).toEqual(["status=failed,paused", "status=failed,parked"]);
  expect(texts("tag=eu,l")).toEqual(["tag=eu,large"]);
});

test("a word that is no filter is offered as text in an id or an error", () => {
  expect(texts("order-88")).toEqual(["id~order-88", "error~order-88"]);
  expect(texts("fail")).toEqual(["status=failed", "id~fail", "error~fail"]);
  expect(texts("refu")[0]).toBe("workflow=refund");
});

test("whatever is offered as whole is a filter", () => {
  for (const typed of [
    "",
    "fail",
    "-suc",
    "status=",
    "began=",
    "ended=",
    "took",
    "took>",
    "tag=",
    "workflow=",
    "x",
  ])
    for (const each of suggest(typed, known))
      if (each.isWhole) expect(readWord(each.text, Date.now())).not.toBeInstanceOf(Refusal);
});

test("there are never many", () => {
  const many = { workflow: Array.from({ length: 5_000 }, (_, index) => `w${index}`) };

  expect(suggest("workflow=w", many).length).toBe(12);
});
