import { expect, test } from "vitest";
import { nameReader } from "./own_name";

test("a page keeps its name while the next one is loaded", () => {
  const read = nameReader("workflows");

  expect(read(["workflows", "fulfil"])).toBe("fulfil");
  expect(read(["runs", "order-7"])).toBe("fulfil");
  expect(read(["workflows"])).toBe("fulfil");
  expect(read(["workflows", "refund"])).toBe("refund");
});
