import { expect, it } from "vitest";
import type { WorkflowUpdate } from "../../../../api/schema";
import { Form } from "../../../../parts/forms/form.svelte";
import { argumentsOf, refusedField } from "./updating";

const ADD: WorkflowUpdate = {
  name: "add",
  description: "",
  parameters: ["sku", "count", "note", "*tags"],
  schema: {
    type: "object",
    properties: {
      sku: { type: "string" },
      count: { type: "integer", default: 1 },
      note: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
      tags: { type: "array", items: { type: "string" }, default: [] },
    },
    required: ["sku"],
    additionalProperties: false,
  },
};

function refused(reason: string) {
  return { code: "update_refused", answer: { facts: { reason } } };
}

it("passes arguments in their order, and what was left out as the handler takes it", () => {
  expect(argumentsOf(ADD, { note: "soon", sku: "tea" })).toEqual(["tea", 1, "soon"]);
  expect(argumentsOf(ADD, { sku: "tea", count: 2, tags: ["a", "b"] })).toEqual(["tea", 2, null, "a", "b"]);
  expect(argumentsOf({ ...ADD, parameters: [] }, {})).toEqual([]);
});

it("passes whole numbers of any size", () => {
  expect(argumentsOf(ADD, { sku: "tea", count: 18446744073709551615n })).toEqual([
    "tea",
    18446744073709551615n,
    null,
  ]);
});

it("passes a list as it is if the parameters are not known", () => {
  expect(argumentsOf(undefined, { arguments: ["tea", [2]] })).toEqual(["tea", [2]]);
  expect(argumentsOf({ ...ADD, schema: null, parameters: [] }, {})).toEqual([]);
});

it.each([
  ["the arguments of update 'add': count: expected int, got str", "count", "expected int, got str"],
  ["the arguments of update 'add': tags[1]: expected str, got int", "tags[1]", "expected str, got int"],
  ['the arguments of update "don\'t": sku.size.x: too: long', "sku.size.x", "too: long"],
  ["the arguments of update 'add': a key of count: expected int", "count", "expected int"],
])("finds the field of %s", (reason, path, problem) => {
  expect(refusedField(refused(reason), ADD)).toEqual({ path, problem });
});

it.each([
  "the arguments of update 'add': other: expected int",
  "count: expected int, got str",
  "it has no handler of that name; it has 'pay'",
])("finds no field in %s", (reason) => {
  expect(refusedField(refused(reason), ADD)).toBeNull();
  expect(refusedField({ ...refused(reason), code: "update_failed" }, ADD)).toBeNull();
});

it("marks the field that was refused until something is changed", () => {
  const form = new Form(ADD.schema, { sku: "tea" });
  form.refuse("sku", "there is no tea");
  expect([...form.problems]).toEqual([["sku", "there is no tea"]]);

  form.root.children[0]!.text = "coffee";
  expect(form.isRight).toBe(true);
});
