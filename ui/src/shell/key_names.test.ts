import { expect, it } from "vitest";
import { namesOfKeys } from "./key_names";

it("names keys as they are pressed, together or after each other", () => {
  expect(namesOfKeys("g r")).toEqual(["G", "R"]);
  expect(namesOfKeys("shift+d")).toEqual(["Shift-D"]);
  expect(namesOfKeys("Escape")).toEqual(["Escape"]);
});

it("names the keys that also stand between keys", () => {
  expect(namesOfKeys(" ")).toEqual(["Space"]);
  expect(namesOfKeys("+")).toEqual(["+"]);
});
