import { expect, it } from "vitest";
import { commandOf, quoted } from "./command";

const START = {
  workflow: "fulfil",
  version: null,
  id: "",
  input: {},
  namespace: "",
  server: "http://127.0.0.1:8070",
};

it("is short if there is little to say", () => {
  expect(commandOf(START)).toBe("holdfast start fulfil --server http://127.0.0.1:8070");
});

it("quotes what a shell would take apart", () => {
  const input = { note: "it's $HOME; `rm`" };
  expect(commandOf({ ...START, version: "3", id: "order 7", input, namespace: "shop" })).toBe(
    `holdfast start fulfil --version 3 --input '{"note":"it'\\''s $HOME; \`rm\`"}' --id 'order 7' ` +
      "--namespace shop --server http://127.0.0.1:8070",
  );
  expect(quoted("")).toBe("''");
  expect(quoted("a\nb")).toBe("'a\nb'");
});
