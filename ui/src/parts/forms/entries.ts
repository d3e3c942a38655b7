// What has been typed into a form, as it was typed, and the value that it makes.
import { isExact, parseJson } from "../../api/json";
import { below, mismatches } from "./check";
import { jsonProblem } from "./json_problems";
import { fieldOf, type Field, type Json, type Schema } from "./schema";

export interface Entry {
  id: number;
  field: Field;
  /** Of text, numbers, dates and JSON: as it was typed. */
  text: string;
  /** Of a choice: which one; -1 for none. */
  chosen: number;
  /** Of a list or an object: whether it is there at all. */
  isGiven: boolean;
  /** Whether somebody has been here: before that, nothing is wrong. */
  isTouched: boolean;
  /** What it stands for while it is empty, if it began as null or as an empty text. */
  blank: null | "" | undefined;
  children: Entry[];
}

export interface Read {
  /** What would be sent; undefined if it is left out. */
  value: Json | undefined;
  /** What is wrong, by path. */
  problems: Map<string, string>;
}

/** A list that is longer is shown as JSON. */
export const MOST_ITEMS = 100;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
let ids = 0;

/** The entry of a field. Without a value it begins with what the schema takes if it is left out. */
export function entryOf(asked: Field, value?: Json): Entry {
  const begin = value === undefined ? asked.fallback : value;
  const isDefault = value === undefined && begin !== undefined && begin !== null;
  // Fields would lose what they do not show of the default, and it would be sent without that.
  const field = isDefault && !canShow(asked, begin) ? asked.asJson() : asked;
  const entry: Entry = {
    id: ++ids,
    field,
    text: "",
    chosen: -1,
    isGiven: begin !== undefined && begin !== null,
    isTouched: false,
    blank: value === null || begin === "" ? (begin as null | "") : undefined,
    children: [],
  };
  if (field.kind === "choice") {
    entry.chosen = field.choices.findIndex((each) => JSON.stringify(each.value) === JSON.stringify(begin));
    // There is nothing to choose.
    if (field.choices.length === 1 && field.isNeeded && begin === undefined) entry.chosen = 0;
  } else if (field.kind === "object") {
    entry.isGiven ||= field.isNeeded && !field.mayBeNull;
    if (entry.isGiven) fillObject(entry, begin);
  } else if (field.kind === "list") {
    entry.isGiven ||= field.isNeeded && !field.mayBeNull;
    if (Array.isArray(begin)) entry.children = begin.map((each) => entryOf(field.item(), each));
  } else if (field.kind === "json") {
    entry.text = begin === undefined || (begin === null && field.fallback === null) ? "" : written(begin);
  } else if (begin !== undefined && begin !== null) {
    entry.text = typeof begin === "string" ? begin : JSON.stringify(begin);
  }
  return entry;
}

export function written(value: Json): string {
  return JSON.stringify(value, null, 2);
}

function fillObject(entry: Entry, value: Json | undefined): void {
  const known = value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
  entry.children = entry.field
    .fields()
    .map((field) => entryOf(field, Object.hasOwn(known, field.name) ? known[field.name] : undefined));
}

/** Adds what was left out before: an object with its fields, a list without items. */
export function give(entry: Entry): void {
  entry.isGiven = true;
  entry.isTouched = true;
  if (entry.field.kind === "object") fillObject(entry, undefined);
}

export function leaveOut(entry: Entry): void {
  entry.isGiven = false;
  entry.blank = undefined;
  entry.children = [];
}

/** Whether a form can show this value and send it again: it has no fields that the schema does not name, no null
 * where none may be, and no long lists. */
export function canShow(field: Field, value: Json): boolean {
  if (value === null) return field.mayBeNull || field.kind === "json";
  if (field.kind === "list") {
    if (!Array.isArray(value)) return false;
    return value.length <= MOST_ITEMS && value.every((each) => canShow(field.item(), each));
  }
  if (field.kind !== "object") {
    if (field.kind === "json") return true;
    if (field.kind === "choice") return entryOf(field, value).chosen >= 0;
    if (field.kind === "integer" || field.kind === "number")
      return typeof value === "number" || typeof value === "bigint";
    return typeof value === "string";
  }
  if (typeof value !== "object" || Array.isArray(value)) return false;
  const fields = new Map(field.fields().map((each) => [each.name, each]));
  return Object.entries(value).every(([name, each]) => {
    const inner = fields.get(name);
    return inner !== undefined && canShow(inner, each);
  });
}

/** The value of the whole form, and what is wrong with it. */
export function read(root: Entry, schema: Schema): Read {
  const problems = new Map<string, string>();
  const value = valueOf(root, "", problems);
  if (value === undefined) {
    if (!problems.size && root.field.isNeeded) problems.set("", "This is needed.");
    return { value, problems };
  }
  for (const each of mismatches(schema, value))
    if (!problems.has(each.path)) problems.set(each.path, each.problem);
  return { value, problems };
}

/** The same for JSON that was typed. */
export function readJson(text: string, schema: Schema): Read {
  const problems = new Map<string, string>();
  const value = parsed(text, "", problems);
  if (value !== undefined)
    for (const { path, problem } of mismatches(schema, value))
      if (!problems.has(path)) problems.set(path, problem);
  return { value, problems };
}

function valueOf(entry: Entry, path: string, problems: Map<string, string>): Json | undefined {
  const { field } = entry;
  if (field.kind === "choice") return field.choices[entry.chosen]?.value;
  if (field.kind === "object" || field.kind === "list") {
    if (!entry.isGiven) return empty(entry);
    return field.kind === "list" ? listOf(entry, path, problems) : objectOf(entry, path, problems);
  }
  if (entry.text === "" || (field.kind !== "text" && !entry.text.trim())) return empty(entry);
  switch (field.kind) {
    case "json":
      return parsed(entry.text, path, problems);
    case "integer":
    case "number":
      return numberOf(entry.text.trim(), field, path, problems);
    case "text":
      return entry.text;
    default:
      return entry.text.trim();
  }
}

function empty({ field, blank }: Entry): Json | undefined {
  if (blank !== undefined) return blank;
  // Left out, the default would be taken, though somebody has deleted its text.
  if (field.kind === "text" && typeof field.fallback === "string") return "";
  return field.isNeeded && field.mayBeNull ? null : undefined;
}

function listOf(entry: Entry, path: string, problems: Map<string, string>): Json {
  return entry.children.map((each, index) => {
    const place = below(path, index);
    const value = valueOf(each, place, problems);
    if (value === undefined && !problems.has(place) && each.field.kind !== "text")
      problems.set(place, "This is needed.");
    return value === undefined ? (each.field.kind === "text" ? "" : null) : value;
  });
}

function objectOf(entry: Entry, path: string, problems: Map<string, string>): Json {
  const value: { [name: string]: Json } = {};
  for (const each of entry.children) {
    const own = valueOf(each, below(path, each.field.name), problems);
    // A field may be called __proto__.
    if (own !== undefined)
      Object.defineProperty(value, each.field.name, { value: own, enumerable: true, configurable: true });
  }
  return value;
}

function numberOf(
  text: string,
  field: Field,
  path: string,
  problems: Map<string, string>,
): number | bigint | undefined {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) {
    const isComma = /^[+-]?\d+,\d+$/.test(text);
    const wanted = field.kind === "integer" ? "a whole number, such as 12" : "a number, such as 1.5";
    problems.set(path, isComma ? `Expected ${wanted}, without a comma.` : `Expected ${wanted}.`);
    return undefined;
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    if (isExact && /^[+-]?\d+$/.test(text)) return BigInt(text.replace("+", ""));
    // One with a fraction is as exact here as it is in Python.
    if (field.kind === "number") return value;
    problems.set(path, "A browser cannot send a number of this size exactly. Use the command line.");
    return undefined;
  }
  return value;
}

function parsed(text: string, path: string, problems: Map<string, string>): Json | undefined {
  try {
    return parseJson(text) as Json;
  } catch {
    problems.set(path, jsonProblem(text));
    return undefined;
  }
}

/** The form of a schema with a value in it; null if the value cannot be shown as a form. */
export function formOf(schema: Schema, value?: Json): Entry | null {
  const field = fieldOf("", schema);
  if (value !== undefined && !canShow(field, value)) return null;
  return entryOf(field, value);
}
