// Whether a value fits its schema, and what is wrong in words. The server decides; this says it at the field,
// before anything is sent. A keyword that is not known here is not checked.
import { definitionsOf, labelOf, labelsOf, resolve, type Json, type Keywords, type Schema } from "./schema";

export interface Mismatch {
  /** `lines[2].count`; "" for the value itself. */
  path: string;
  problem: string;
  isOtherType: boolean;
}

const DEEPEST = 60;
const MOST = 50;
/** More steps of a pattern could hold up the page: the server judges then. */
const MOST_STEPS = 1_000_000;

export function below(path: string, part: string | number): string {
  if (typeof part === "number") return `${path}[${part}]`;
  return path ? `${path}.${part}` : part;
}

/** All places where the value does not fit, at most fifty. */
export function mismatches(schema: Schema, value: Json): Mismatch[] {
  const whole = typeof schema === "object" && schema !== null ? schema : {};
  const found: Mismatch[] = [];
  look(schema, value, { path: "", definitions: definitionsOf(whole), found, depth: 0 });
  return found.slice(0, MOST);
}

interface Search {
  path: string;
  definitions: Keywords;
  found: Mismatch[];
  depth: number;
}

function look(given: unknown, value: Json, search: Search): void {
  if (given === false) return tell(search, "There must be nothing here.");
  if (typeof given !== "object" || given === null || Array.isArray(given)) return;
  if (search.depth > DEEPEST || search.found.length > MOST) return;
  const schema = resolve(given as Keywords, search.definitions);
  const types = typesOf(schema);
  if (types.length && !types.some((type) => hasType(type, value, schema)))
    return tell(search, `Expected ${types.map((type) => NAMES[type] ?? type).join(" or ")}.`, true);
  if (Array.isArray(schema.enum) && !schema.enum.some((each) => isSame(each as Json, value)))
    return tell(search, `Expected one of ${labelsOf(schema.enum as Json[]).join(", ")}.`);
  if ("const" in schema && !isSame(schema.const as Json, value))
    return tell(search, `Expected ${labelOf(schema.const as Json)}.`);
  lookForOne(schema, value, search);
  for (const each of list(schema.allOf)) look(each, value, deeper(search));
  if (typeof value === "string") lookAtText(schema, value, search);
  else if (typeof value === "number" || typeof value === "bigint") lookAtNumber(schema, value, search);
  else if (Array.isArray(value)) lookAtList(schema, value, search);
  else if (value !== null && typeof value === "object") lookAtMap(schema, value, search);
}

function lookForOne(schema: Keywords, value: Json, search: Search): void {
  for (const word of ["anyOf", "oneOf"]) {
    const all = list(schema[word]);
    if (!all.length) continue;
    const tries = all.map((each) => {
      const found: Mismatch[] = [];
      look(each, value, { ...deeper(search), found });
      return found;
    });
    if (tries.some((found) => !found.length)) continue;
    // What is wrong with a value of the right type says more than that another type was expected.
    const close = tries.find((found) => !found.some((each) => each.isOtherType && each.path === search.path));
    if (close) search.found.push(...close);
    else tell(search, [...new Set(tries.map((found) => found[0]?.problem ?? ""))].join(" Or: "));
  }
}

function lookAtText(schema: Keywords, value: string, search: Search): void {
  const size = [...value.slice(0, 100_000)].length;
  within(schema, size, "Length", "characters", search);
  const problem = FORMATS[String(schema.format)]?.(value);
  if (problem) tell(search, problem);
  if (typeof schema.pattern === "string" && value.length <= 1_000 && !matches(schema.pattern, value))
    tell(search, `Expected text like ${schema.pattern}.`);
}

/** Patterns are Python's. One that JavaScript cannot read, or may read otherwise, is left to the server. */
function matches(pattern: string, value: string): boolean {
  // Letters, digits and spaces are those of all scripts there, and the end of a text is also before its last line end.
  if (/\\[bdsw]/i.test(pattern) && /[^ -~]/.test(value)) return true;
  if (/[\n\r\u2028\u2029]/.test(value)) return true;
  if (stepsOf(pattern, value.length) > MOST_STEPS) return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

/** How many ways there are at most to try the pattern at a text: each repetition may end anywhere, each option
 * doubles them. Infinite if a group is repeated. */
function stepsOf(pattern: string, length: number): number {
  if (/\)[+*{]/.test(pattern)) return Infinity;
  const repetitions = pattern.replace(/\{\d+\}/g, "").match(/[+*{]/g)?.length ?? 0;
  const options = pattern.match(/[?|]/g)?.length ?? 0;
  // The pattern may begin anywhere, too.
  return (length + 1) ** (repetitions + 1) * 2 ** options;
}

function lookAtNumber(schema: Keywords, value: number | bigint, search: Search): void {
  const limit = (word: string) => (typeof schema[word] === "number" ? (schema[word] as number) : null);
  const [least, most] = [limit("minimum"), limit("maximum")];
  const [above, under, step] = [limit("exclusiveMinimum"), limit("exclusiveMaximum"), limit("multipleOf")];
  if (least !== null && value < least) tell(search, `Expected ${least} or more.`);
  if (above !== null && value <= above) tell(search, `Expected more than ${above}.`);
  if (most !== null && value > most) tell(search, `Expected ${most} at most.`);
  if (under !== null && value >= under) tell(search, `Expected less than ${under}.`);
  if (step && typeof value === "number" && Math.abs(value / step - Math.round(value / step)) > 1e-9)
    tell(search, `Expected a multiple of ${step}.`);
}

function lookAtList(schema: Keywords, value: Json[], search: Search): void {
  within(schema, value.length, "Items", "items", search);
  const first = list(schema.prefixItems);
  value.forEach((each, index) =>
    look(index < first.length ? first[index] : schema.items, each, deeper(search, index)),
  );
  if (schema.uniqueItems && new Set(value.map((each) => JSON.stringify(each))).size < value.length)
    tell(search, "No item may be there twice.");
}

function lookAtMap(schema: Keywords, value: { [name: string]: Json }, search: Search): void {
  const fields = (schema.properties ?? {}) as Keywords;
  for (const name of list(schema.required) as string[])
    if (!Object.hasOwn(value, name)) tell(deeper(search, name), "This is needed.");
  for (const [name, each] of Object.entries(value)) {
    if (Object.hasOwn(fields, name)) look(fields[name], each, deeper(search, name));
    else if (schema.additionalProperties === false) tell(search, `There is no field ${name}.`);
    else look(schema.additionalProperties, each, deeper(search, name));
  }
  within(schema, Object.keys(value).length, "Properties", "fields", search);
}

function within(schema: Keywords, size: number, word: string, what: string, search: Search): void {
  const [least, most] = [schema[`min${word}`], schema[`max${word}`]];
  if (typeof least === "number" && size < least)
    tell(search, `Expected ${least} ${what} or more, got ${size}.`);
  if (typeof most === "number" && size > most) tell(search, `Expected ${most} ${what} at most, got ${size}.`);
}

function deeper(search: Search, part?: string | number): Search {
  const path = part === undefined ? search.path : below(search.path, part);
  return { ...search, path, depth: search.depth + 1 };
}

function tell(search: Search, problem: string, isOtherType = false): void {
  search.found.push({ path: search.path, problem, isOtherType });
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function typesOf(schema: Keywords): string[] {
  return typeof schema.type === "string" ? [schema.type] : (list(schema.type) as string[]);
}

const NAMES: Record<string, string> = {
  null: "null",
  boolean: "yes or no",
  integer: "a whole number",
  number: "a number",
  string: "text",
  array: "a list",
  object: "a map of fields",
};

function hasType(type: string, value: Json, schema: Keywords): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    case "string":
      return typeof value === "string" || (schema.format === "decimal" && typeof value === "number");
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return true;
  }
}

function isSame(one: Json, other: Json): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** What is wrong with a date as it is typed; "" if it is one. */
export function dateProblem(text: string): string {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return "Expected a date, such as 2026-03-31.";
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  if (month < 1 || month > 12) return `There is no month ${month}.`;
  const last = new Date(Date.UTC(2000, month, 0)).getUTCDate();
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (day < 1 || day > last || (month === 2 && day === 29 && !isLeap))
    return `There is no ${day} ${MONTHS[month - 1]}${day === 29 ? ` ${year}` : ""}.`;
  return "";
}

function datetimeProblem(text: string): string {
  const parts =
    /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$/.exec(text);
  if (!parts) return "Expected a time, such as 2026-03-31T08:00:00Z.";
  if (Number(parts[2]) > 23 || Number(parts[3]) > 59 || Number(parts[4] ?? 0) > 59)
    return `There is no ${text.slice(11, 19)} on a clock.`;
  return dateProblem(parts[1] ?? "") || (parts[5] ? "" : "Say the zone, too: Z, or such as +01:00.");
}

const FORMATS: Record<string, (text: string) => string> = {
  date: dateProblem,
  "date-time": datetimeProblem,
  time: (text) =>
    /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$/.test(text)
      ? ""
      : "Expected a time of day, such as 08:30:00.",
  duration: (text) =>
    /^[+-]?P(?=.)(\d+([.,]\d+)?[YMWD])*(T(?=.)(\d+([.,]\d+)?[HMS])+)?$/i.test(text)
      ? ""
      : "Expected a duration, such as PT1H30M.",
  uuid: (text) =>
    /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)
      ? ""
      : "Expected a UUID, 32 digits of 0-9 and a-f.",
  decimal: (text) =>
    /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())
      ? ""
      : "Expected a decimal number, such as 12.40.",
};
