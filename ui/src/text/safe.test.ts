import { expect, it } from "vitest";
import { shortened, visible } from "./safe";

it("shows marks of direction and control by their number", () => {
  expect(visible("a\u202eb\u0007\u001b[31m\n\tc")).toBe("a\\u202eb\\u0007\\u001b[31m\n\tc");
});

it("leaves letters of all scripts alone", () => {
  expect(visible("naïve 東京 שלום 😀")).toBe("naïve 東京 שלום 😀");
});

it("does not cut a character in two", () => {
  expect(shortened("ab😀cd", 3)).toEqual({ text: "ab", left: 4 });
  expect(shortened("abc", 3)).toEqual({ text: "abc", left: 0 });
});
