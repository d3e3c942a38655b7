import { expect, it } from "vitest";
import { StartInput, type Started } from "./start_input.svelte";

function version(name: string, ...fields: string[]): Started {
  const properties = Object.fromEntries(fields.map((each) => [each, { type: "string" }]));
  return { version: name, input_schema: { type: "object", properties } } as unknown as Started;
}
function type(input: StartInput, text: string): void {
  input.form.root.children[0]!.text = text;
}

it("keeps what was typed when a version with the same input appears, and starts that one", () => {
  const input = new StartInput(version("1", "to"));
  type(input, "Ann");

  input.show(version("2", "to"));

  expect(input.form.value).toEqual({ to: "Ann" });
  expect(input.details.version).toBe("2");
  expect(input.other).toBeNull();
});

it("shows the fields of another input at once if nothing was typed", () => {
  const input = new StartInput(version("1", "to"));

  input.show(version("2", "to", "cents"));

  expect(input.form.root.children).toHaveLength(2);
  expect(input.details.version).toBe("2");
});

it("stays with its version if something was typed and the input is another, until that is taken", () => {
  const input = new StartInput(version("1", "to"));
  type(input, "Ann");

  input.show(version("2", "to", "cents"));

  expect(input.form.value).toEqual({ to: "Ann" });
  expect([input.details.version, input.other?.version]).toEqual(["1", "2"]);

  input.takeOther();

  expect(input.form.value).toEqual({ to: "Ann" });
  expect(input.form.root.children).toHaveLength(2);
  expect([input.details.version, input.other]).toEqual(["2", null]);
});

it("keeps JSON that is not right yet", () => {
  const input = new StartInput({ version: "1", input_schema: null } as unknown as Started);
  input.form.root.text = '{"half": ';

  input.show(version("2", "to"));

  expect(input.form.root.text).toBe('{"half": ');
});
