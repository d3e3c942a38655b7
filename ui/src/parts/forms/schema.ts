// What a JSON Schema asks for, as fields of a form. Reads what msgspec and pydantic write; whatever a form
// cannot show well is one field for JSON.
import { shortened } from "../../text/safe";

export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };
export type Keywords = Record<string, unknown>;
export type Schema = Keywords | boolean | null | undefined;
export type Kind =
  "text" | "integer" | "number" | "choice" | "date" | "datetime" | "list" | "object" | "json";

export interface Choice {
  value: Json;
  label: string;
}

/** Deeper than this a form cannot be read; the rest is JSON. */
const DEEPEST = 8;
/** A default that is longer is cut in its hint: a browser takes very long to break a very long line. */
const LONGEST = 120;
/** References may lead to each other. */
const HOPS = 20;

// A class, so that a form's state does not wrap it in proxies.
export class Field {
  constructor(
    readonly name: string,
    readonly kind: Kind,
    /** With references followed and null taken out. */
    readonly schema: Keywords,
    readonly facts: {
      isNeeded: boolean;
      mayBeNull: boolean;
      choices: Choice[];
      fallback: Json | undefined;
      definitions: Keywords;
      depth: number;
    },
  ) {}

  get isNeeded(): boolean {
    return this.facts.isNeeded;
  }
  get mayBeNull(): boolean {
    return this.facts.mayBeNull;
  }
  get choices(): Choice[] {
    return this.facts.choices;
  }
  /** What is taken if it is left out. */
  get fallback(): Json | undefined {
    return this.facts.fallback;
  }
  get description(): string {
    return typeof this.schema.description === "string" ? this.schema.description : "";
  }

  /** The same as one field for JSON. */
  asJson(): Field {
    return new Field(this.name, "json", this.schema, this.facts);
  }

  /** The fields of an object, in their order. */
  fields(): Field[] {
    const needed = listOf(this.schema.required);
    return Object.entries(keywords(this.schema.properties)).map(([name, schema]) =>
      fieldOf(name, schema as Schema, {
        definitions: this.facts.definitions,
        isNeeded: needed.includes(name),
        depth: this.facts.depth + 1,
      }),
    );
  }

  /** One item of a list. */
  item(): Field {
    return fieldOf("", this.schema.items as Schema, {
      definitions: this.facts.definitions,
      isNeeded: true,
      depth: this.facts.depth + 1,
    });
  }
}

export function fieldOf(
  name: string,
  schema: Schema,
  options: { definitions?: Keywords; isNeeded?: boolean; depth?: number } = {},
): Field {
  const { isNeeded = true, depth = 0 } = options;
  const whole = typeof schema === "object" && schema !== null ? schema : {};
  const definitions = options.definitions ?? definitionsOf(whole);
  const { schema: read, mayBeNull } = withoutNull(resolve(whole, definitions), definitions);
  const choices = choicesOf(read, mayBeNull);
  return new Field(name, kindOf(read, choices, depth), read, {
    isNeeded,
    mayBeNull,
    choices,
    fallback: read.default as Json | undefined,
    definitions,
    depth,
  });
}

export function definitionsOf(schema: Keywords): Keywords {
  return { ...keywords(schema.definitions), ...keywords(schema.$defs) };
}

/** The schema without references. What stands beside a reference counts more than what it leads to. */
export function resolve(schema: Keywords, definitions: Keywords): Keywords {
  let read = schema;
  for (let hop = 0; hop < HOPS; hop++) {
    const only = listOf(read.allOf);
    if (typeof read.$ref === "string") {
      const { $ref, ...beside } = read;
      read = { ...keywords(definitions[String($ref).split("/").pop() ?? ""]), ...beside };
    } else if (only.length === 1) {
      const { allOf: _, ...beside } = read;
      read = { ...keywords(only[0]), ...beside };
    } else return read;
  }
  return read;
}

function withoutNull(schema: Keywords, definitions: Keywords): { schema: Keywords; mayBeNull: boolean } {
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    const types = schema.type.filter((each) => each !== "null");
    return { schema: { ...schema, type: types.length === 1 ? types[0] : types }, mayBeNull: true };
  }
  const word = schema.anyOf ? "anyOf" : "oneOf";
  const all = listOf(schema[word]).map((each) => resolve(keywords(each), definitions));
  const rest = all.filter((each) => each.type !== "null" && each.const !== null);
  const mayBeNull = rest.length < all.length;
  const { [word]: _, ...beside } = schema;
  const only = rest[0];
  if (rest.length === 1 && only) {
    const inner = withoutNull(only, definitions);
    return { schema: { ...inner.schema, ...beside }, mayBeNull: mayBeNull || inner.mayBeNull };
  }
  const mayEnumBeNull = listOf(schema.enum).includes(null);
  return { schema: mayBeNull ? { ...beside, [word]: rest } : schema, mayBeNull: mayBeNull || mayEnumBeNull };
}

function choicesOf(schema: Keywords, mayBeNull: boolean): Choice[] {
  let values: Json[] = [];
  if (Array.isArray(schema.enum)) values = schema.enum as Json[];
  else if ("const" in schema) values = [schema.const as Json];
  else if (schema.type === "boolean") values = [true, false];
  else {
    const all = listOf(schema.anyOf ?? schema.oneOf).map(keywords);
    if (!all.length || !all.every((each) => "const" in each)) return [];
    values = all.map((each) => each.const as Json);
  }
  values = values.filter((each) => each !== null);
  if (mayBeNull && values.length) values.push(null);
  const labels = labelsOf(values, "none");
  return values.map((value, index) => ({ value, label: labels[index] ?? "" }));
}

/** Of values that are chosen from. A text that looks like another of them has quotes. */
export function labelsOf(values: Json[], nothing = "null"): string[] {
  const plain = values.map((value) => (value === null ? nothing : labelOf(value)));
  return values.map((value, index) => {
    const label = plain[index] ?? "";
    const isOnly = plain.indexOf(label) === plain.lastIndexOf(label);
    return typeof value === "string" && !isOnly && label === value ? JSON.stringify(value) : label;
  });
}

export function labelOf(value: Json): string {
  if (value === true) return "yes";
  if (value === false) return "no";
  // A button needs a name.
  if (typeof value === "string" && value.trim() === "") return JSON.stringify(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function kindOf(schema: Keywords, choices: Choice[], depth: number): Kind {
  if (choices.length) return "choice";
  switch (schema.type) {
    case "integer":
    case "number":
      return schema.type;
    case "string":
      return schema.format === "date" ? "date" : schema.format === "date-time" ? "datetime" : "text";
    case "array":
      return depth < DEEPEST && !schema.prefixItems && typeof schema.items === "object" ? "list" : "json";
    case "object":
      return depth < DEEPEST && (schema.properties || schema.additionalProperties === false)
        ? "object"
        : "json";
    default:
      return "json";
  }
}

const WORDS: Partial<Record<Kind, string>> = {
  text: "text",
  integer: "whole number",
  number: "number",
  date: "date, such as 2026-03-31",
  datetime: "time, such as 2026-03-31T08:00:00Z",
  list: "list",
  json: "JSON",
};
const FORMATS: Record<string, string> = {
  decimal: "decimal number",
  duration: "duration, such as PT1H30M",
  time: "time of day, such as 08:30:00",
  uuid: "UUID",
};

/** What may be written here, in words: `whole number from 1 to 5, needed; how many to send`. */
export function hintOf(field: Field): string {
  const format = field.kind === "text" ? FORMATS[String(field.schema.format)] : undefined;
  const word = format ?? (field.schema.contentEncoding === "base64" ? "base64" : WORDS[field.kind]);
  const parts = word ? [word + limitsOf(field)] : [];
  if (field.isNeeded && !field.mayBeNull && field.fallback === undefined) parts.push("needed");
  else if (isSet(field.fallback) && field.kind !== "choice" && field.kind !== "object")
    parts.push(`${inShort(labelOf(field.fallback as Json))} if left out`);
  else if (field.kind !== "object") parts.push("may be left out");
  return [parts.join(", "), field.description].filter(Boolean).join("; ");
}

function inShort(label: string): string {
  const { text, left } = shortened(label, LONGEST);
  return left ? `${text}…` : text;
}

function isSet(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function limitsOf(field: Field): string {
  const { schema } = field;
  if (field.kind === "integer" || field.kind === "number") {
    const least = schema.minimum !== undefined ? ` from ${String(schema.minimum)}` : "";
    const above = schema.exclusiveMinimum !== undefined ? ` above ${String(schema.exclusiveMinimum)}` : "";
    const most = schema.maximum !== undefined ? ` to ${String(schema.maximum)}` : "";
    const below = schema.exclusiveMaximum !== undefined ? ` below ${String(schema.exclusiveMaximum)}` : "";
    return least + above + most + below;
  }
  if (field.kind === "text" && typeof schema.maxLength === "number")
    return ` of at most ${schema.maxLength} characters`;
  return "";
}

function keywords(value: unknown): Keywords {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Keywords) : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
