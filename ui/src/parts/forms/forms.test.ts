import { describe, expect, it } from "vitest";
import { dateProblem, mismatches } from "./check";
import { picked, pickable } from "./dates";
import { canShow, entryOf, formOf, give, leaveOut, read, readJson, type Entry } from "./entries";
import { jsonProblem } from "./json_problems";
import { fieldOf, hintOf, type Json, type Keywords } from "./schema";

const LINE = {
  title: "Line",
  type: "object",
  properties: { sku: { type: "string" }, count: { type: "integer", minimum: 1, default: 1 } },
  required: ["sku"],
};
const ORDER: Keywords = {
  type: "object",
  properties: {
    order_id: { type: "string", maxLength: 20 },
    cents: { type: "integer", minimum: 1, description: "over 5,000 a person is asked" },
    reason: { enum: ["damaged", "late", "other"] },
    pay_on: { anyOf: [{ type: "string", format: "date" }, { type: "null" }], default: null },
    greeting: { type: "string", default: "hello" },
    lines: { type: "array", items: { $ref: "#/$defs/Line" }, default: [] },
    parent: { anyOf: [{ $ref: "#/$defs/Line" }, { type: "null" }], default: null },
    rest: { default: null },
  },
  required: ["order_id", "cents", "reason"],
  additionalProperties: false,
  $defs: { Line: LINE },
};

function child(entry: Entry, name: string): Entry {
  const found = entry.children.find((each) => each.field.name === name);
  if (!found) throw new Error(name);
  return found;
}

describe("fieldOf", () => {
  it.each<[Keywords, string]>([
    [{ type: "string" }, "text"],
    [{ type: "integer" }, "integer"],
    [{ type: "number" }, "number"],
    [{ type: "boolean" }, "choice"],
    [{ enum: ["a", 3] }, "choice"],
    [{ anyOf: [{ const: "a" }, { const: "b" }] }, "choice"],
    [{ type: "string", format: "date" }, "date"],
    [{ type: "string", format: "date-time" }, "datetime"],
    [{ type: ["string", "null"] }, "text"],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "integer"],
    [{ type: "array", items: { type: "string" } }, "list"],
    [{ type: "array", prefixItems: [{ type: "string" }], items: false }, "json"],
    [LINE, "object"],
    [{ type: "object", additionalProperties: { type: "integer" } }, "json"],
    [{ anyOf: [{ type: "integer" }, { type: "string" }] }, "json"],
    [{}, "json"],
    [{ allOf: [{ $ref: "#/$defs/Line" }], $defs: { Line: LINE } }, "object"],
  ])("shows %j as %s", (schema, kind) => {
    expect(fieldOf("x", schema).kind).toBe(kind);
  });

  it("ends references that lead to themselves", () => {
    const tree = { type: "object", properties: { next: { $ref: "#/$defs/Tree" } }, required: ["next"] };
    const root = entryOf(fieldOf("", { $ref: "#/$defs/Tree", $defs: { Tree: tree } }));

    let depth = 0;
    for (let at: Entry | undefined = root; at; at = at.children[0]) depth += 1;
    expect(depth).toBeLessThan(12);
    expect(fieldOf("", { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }).kind).toBe("json");
  });

  it("offers none where null may stand", () => {
    const field = fieldOf("x", { anyOf: [{ enum: ["a"] }, { type: "null" }] });
    expect(field.choices.map((each) => each.label)).toEqual(["a", "none"]);
  });

  it("tells texts from numbers and words that look the same", () => {
    const labels = (schema: Keywords) => fieldOf("x", schema).choices.map((each) => each.label);
    expect(labels({ enum: [1, "1", true, "yes", "no"] })).toEqual(["1", '"1"', "yes", '"yes"', "no"]);
    expect(labels({ anyOf: [{ enum: ["none"] }, { type: "null" }] })).toEqual(['"none"', "none"]);
  });

  it("names the choice of an empty text", () => {
    const field = fieldOf("x", { enum: ["EUR", "", " "] });
    expect(field.choices.map((each) => each.label)).toEqual(["EUR", '""', '" "']);
  });
});

describe("hintOf", () => {
  it.each<[Keywords, boolean, string]>([
    [{ type: "string" }, true, "text, needed"],
    [{ type: "integer", minimum: 1, maximum: 5 }, true, "whole number from 1 to 5, needed"],
    [
      { type: "integer", default: 3, description: "how many" },
      false,
      "whole number, 3 if left out; how many",
    ],
    [{ type: "number", exclusiveMinimum: 0 }, false, "number above 0, may be left out"],
    [{ type: "string", format: "duration" }, true, "duration, such as PT1H30M, needed"],
    [{ type: "string", default: "x".repeat(200_000) }, false, `text, ${"x".repeat(120)}… if left out`],
  ])("says of %j, needed %s: %s", (schema, isNeeded, text) => {
    expect(hintOf(fieldOf("x", schema, { isNeeded }))).toBe(text);
  });
});

describe("read", () => {
  it("begins with what the schema takes for what is left out", () => {
    const root = formOf(ORDER)!;
    child(root, "order_id").text = "88213";
    child(root, "cents").text = " 418000 ";
    child(root, "reason").chosen = 1;

    expect(read(root, ORDER)).toEqual({
      value: { order_id: "88213", cents: 418_000, reason: "late", greeting: "hello", lines: [] },
      problems: new Map(),
    });
  });

  it("says what is wrong at each field", () => {
    const root = formOf(ORDER)!;
    child(root, "order_id").text = "x".repeat(21);
    child(root, "cents").text = "12,5";
    child(root, "pay_on").text = "2026-03-32";
    const lines = child(root, "lines");
    lines.children.push(entryOf(lines.field.item()));
    lines.children[0]!.children[1]!.text = "0";

    expect(Object.fromEntries(read(root, ORDER).problems)).toEqual({
      order_id: "Expected 20 characters at most, got 21.",
      cents: "Expected a whole number, such as 12, without a comma.",
      reason: "This is needed.",
      pay_on: "There is no 32 March.",
      "lines[0].sku": "This is needed.",
      "lines[0].count": "Expected 1 or more.",
    });
  });

  it("sends text that was deleted, where leaving it out would bring the default back", () => {
    const root = formOf(ORDER)!;
    child(root, "greeting").text = "";
    expect((read(root, ORDER).value as Record<string, Json>).greeting).toBe("");
  });

  it("leaves objects out until they are added", () => {
    const root = formOf(ORDER)!;
    const parent = child(root, "parent");
    expect(read(root, ORDER).value).not.toHaveProperty("parent");
    give(parent);
    child(parent, "sku").text = "a";
    expect(read(root, ORDER).value).toHaveProperty("parent", { sku: "a", count: 1 });
    leaveOut(parent);
    expect(read(root, ORDER).value).not.toHaveProperty("parent");
  });

  it("sends large whole numbers digit by digit, also in JSON", () => {
    const root = formOf(ORDER)!;
    child(root, "cents").text = "9007199254740993";
    const { value, problems } = read(root, ORDER);
    expect(problems.get("cents")).toBeUndefined();
    expect(JSON.stringify(value)).toContain('"cents":9007199254740993');

    const any = formOf({})!;
    any.text = "[18446744073709551615]";
    expect(JSON.stringify(read(any, {}).value)).toBe("[18446744073709551615]");
  });

  it("sends numbers of any size that need not be whole", () => {
    const schema = { type: "number" };
    const root = formOf(schema, 1e300)!;
    expect(read(root, schema)).toEqual({ value: 1e300, problems: new Map() });
    root.text = "-2.5e17";
    expect(read(root, schema)).toEqual({ value: -2.5e17, problems: new Map() });
  });

  it("checks the limits of large whole numbers", () => {
    const small = { type: "integer", maximum: 10 };
    const root = formOf(small)!;
    root.text = "9007199254740993";
    expect(read(root, small).problems.get("")).toMatch(/10 at most/);
  });

  it("keeps a field that is called like a part of the language", () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as Keywords;
    const root = formOf(schema)!;
    root.children[0]!.text = "x";
    expect(JSON.stringify(read(root, schema).value)).toBe('{"__proto__":"x"}');
  });

  it("takes an answer that is no object", () => {
    const schema = { type: "boolean" };
    const root = formOf(schema)!;
    expect(read(root, schema).problems.get("")).toBe("This is needed.");
    root.chosen = 1;
    expect(read(root, schema)).toEqual({ value: false, problems: new Map() });
  });
});

describe("as JSON", () => {
  const value = {
    order_id: "1",
    cents: 5,
    reason: "late",
    pay_on: "2026-03-31",
    greeting: "",
    lines: [{ sku: "a", count: 2 }],
    rest: { deep: [1] },
  };

  it("goes there and back without a difference", () => {
    expect(read(formOf(ORDER, value)!, ORDER).value).toEqual(value);
  });

  const orNull = (type: string, fallback: Json) => ({
    anyOf: [{ type }, { type: "null" }],
    default: fallback,
  });
  const CONF: Keywords = {
    type: "object",
    properties: {
      limit: orNull("integer", 10),
      name: orNull("string", "n"),
      tags: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }], default: ["a"] },
      note: orNull("string", null),
    },
  };

  it.each<[Keywords, Json]>([
    [CONF, { limit: null, name: null, tags: null, note: "" }],
    [CONF, { limit: 3, name: "", tags: [], note: null }],
    [{ type: "object", properties: { conf: CONF } }, { conf: { limit: null, name: null } }],
    [
      { type: "object", properties: { x: { type: "integer" } } },
      { x: 1, extra: 2 },
    ],
    [{ type: "array", items: orNull("string", "n") }, ["", null, "a"]],
    [{ type: "string" }, 5],
    [CONF, Array(101).fill(1)],
  ])("sends a default as it is while nobody has been at it: %#", (schema, fallback) => {
    const whole: Keywords = { type: "object", properties: { it: { ...schema, default: fallback } } };
    const sent = read(formOf(whole)!, whole).value;

    expect(sent).toMatchObject({ it: fallback });
  });

  it("keeps null where it may stand, until something is written", () => {
    const root = formOf(CONF, { limit: null, name: null, tags: null })!;
    const limit = child(root, "limit");
    expect(read(root, CONF).value).toEqual({ limit: null, name: null, tags: null });

    limit.text = "4";
    give(child(root, "tags"));
    expect(read(root, CONF).value).toEqual({ limit: 4, name: null, tags: [] });

    limit.text = "";
    leaveOut(child(root, "tags"));
    expect(read(root, CONF).value).toEqual({ limit: null, name: null });
  });

  it("does not show null where it may not stand", () => {
    expect(formOf(ORDER, { ...value, greeting: null })).toBeNull();
  });

  it("does not lose what the form has no field for", () => {
    expect(formOf(ORDER, { ...value, other: 1 })).toBeNull();
    expect(formOf(ORDER, { ...value, lines: [{ sku: "a", more: 1 }] })).toBeNull();
    expect(canShow(fieldOf("", { type: "array", items: {} }), Array(101).fill(1))).toBe(false);
  });

  it.each([
    ["", "This is needed."],
    ['{"a": 1,\n "b": x}', "This is not JSON. In line 2, column 7, a value was expected."],
    ['{"a" 1}', "This is not JSON. In line 1, column 6, a colon was expected."],
    ["{'a': 1}", "This is not JSON. In line 1, column 2, a name in double quotes was expected."],
    ["[1, 2", "This is not JSON. At its end, a comma or a closing bracket was expected."],
    ["[1 2]", "This is not JSON. In line 1, column 4, a comma or a closing bracket was expected."],
    ["[1,]", "This is not JSON. In line 1, column 4, a value was expected."],
    ["1 2", "This is not JSON. In line 1, column 3, the end was expected."],
    ["late", "This is not JSON. In line 1, column 1, a value was expected. Text needs double quotes."],
    ['"a', "This is not JSON. In line 1, column 1, a value was expected. Text needs double quotes."],
  ])("says of %j: %s", (text, problem) => {
    expect(readJson(text, {}).problems.get("")).toBe(problem);
  });

  it("finds a mistake below very many brackets", () => {
    expect(jsonProblem("[".repeat(100_000) + "x")).toMatch(/column 100001/);
  });
});

describe("mismatches", () => {
  it.each<[Keywords, Json, string]>([
    [{ type: "integer" }, 1.5, "Expected a whole number."],
    [{ type: ["string", "null"] }, 3, "Expected text or null."],
    [{ enum: ["a", "b"] }, "c", "Expected one of a, b."],
    [{ const: "a" }, "b", "Expected a."],
    [{ multipleOf: 0.1 }, 0.25, "Expected a multiple of 0.1."],
    [{ pattern: "^a+$" }, "b", "Expected text like ^a+$."],
    [{ pattern: "^[a-z]+$" }, "ö", "Expected text like ^[a-z]+$."],
    [{ pattern: "^\\d+$" }, "a", "Expected text like ^\\d+$."],
    [{ pattern: "^[A-Z]{2}-\\d{4,6}$" }, "DE-12", "Expected text like ^[A-Z]{2}-\\d{4,6}$."],
    [{ pattern: "^[^@]+@[^@]+$" }, "nobody", "Expected text like ^[^@]+@[^@]+$."],
    [{ type: "array", minItems: 2 }, [1], "Expected 2 items or more, got 1."],
    [{ uniqueItems: true }, [1, 1], "No item may be there twice."],
    [{ additionalProperties: false }, { a: 1 }, "There is no field a."],
    [{ format: "uuid" }, "x", "Expected a UUID, 32 digits of 0-9 and a-f."],
    [{ format: "date-time" }, "2026-03-31T08:00:00", "Say the zone, too: Z, or such as +01:00."],
    [{ format: "duration" }, "1h", "Expected a duration, such as PT1H30M."],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "x", "Expected a whole number. Or: Expected null."],
  ])("of %j with %j: %s", (schema, value, problem) => {
    expect(mismatches(schema, value)).toMatchObject([{ path: "", problem }]);
  });

  it.each<[Keywords, Json]>([
    [{ multipleOf: 0.1 }, 0.3],
    [{ pattern: "(a+)+$" }, "a".repeat(60) + "b"],
    [{ pattern: "(x|xx)+y" }, "x".repeat(45)],
    [{ pattern: "^x*x*x*x*x*y" }, "x".repeat(900)],
    [{ pattern: "^" + "x?".repeat(40) + "x".repeat(40) + "y" }, "x".repeat(40)],
    [{ pattern: "(?P<x>a)" }, "b"],
    [{ pattern: "^\\w+$" }, "Zoë"],
    [{ pattern: "^\\d+$" }, "٣"],
    [{ pattern: "^a.c$" }, "a\rc\n"],
    [{ format: "duration" }, "PT1H30M"],
    [{ format: "date-time" }, "2026-03-31T08:00:00.5+01:00"],
    [{ type: "string", format: "decimal" }, 12.4],
    [{ items: { type: "integer" } }, [1, 2]],
  ])("takes %j for %j", (schema, value) => {
    expect(mismatches(schema, value)).toEqual([]);
  });

  it("names the place inside of the alternative that comes closest", () => {
    const schema = { anyOf: [{ type: "object", properties: { a: { type: "integer" } } }, { type: "null" }] };
    expect(mismatches(schema, { a: "x" })).toMatchObject([
      { path: "a", problem: "Expected a whole number." },
    ]);
  });
});

describe("dates", () => {
  it.each([
    ["2026-03-31", ""],
    ["2026-02-29", "There is no 29 February 2026."],
    ["2024-02-29", ""],
    ["2026-13-01", "There is no month 13."],
    ["31.3.2026", "Expected a date, such as 2026-03-31."],
  ])("says of %s: %s", (text, problem) => {
    expect(dateProblem(text)).toBe(problem);
  });

  it("goes through the calendar without moving the moment", () => {
    const text = "2026-03-31T08:00:00Z";
    expect(Date.parse(picked(pickable(text, "datetime"), "datetime"))).toBe(Date.parse(text));
    expect(picked(pickable("2026-03-31", "date"), "date")).toBe("2026-03-31");
    expect(pickable("tomorrow", "datetime")).toBe("");
  });
});
