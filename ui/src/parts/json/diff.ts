// What differs between two JSON values, place by place.
import type { Json } from "../forms/schema";

export interface Difference {
  /** `$.lines[2].count` */
  path: string;
  kind: "added" | "removed" | "changed";
  before?: Json;
  after?: Json;
}

const SEEN = 1_000_000;

/** At most `most` places, in order. Items of lists are compared by their index. */
export function differences(
  before: Json | undefined,
  after: Json | undefined,
  most = 200,
): { list: Difference[]; isAll: boolean } {
  const list: Difference[] = [];
  const waiting: { path: string; one: Json | undefined; two: Json | undefined }[] = [
    { path: "$", one: before, two: after },
  ];
  for (let seen = 0; waiting.length; seen++) {
    if (list.length >= most || seen > SEEN) return { list, isAll: false };
    const { path, one, two } = waiting.pop()!;
    if (one === two) continue;
    if (one === undefined) list.push({ path, kind: "added", after: two });
    else if (two === undefined) list.push({ path, kind: "removed", before: one });
    else if (isFolder(one) && isFolder(two) && Array.isArray(one) === Array.isArray(two)) {
      const inner = keysOf(one, two).map((key) => ({
        path: place(path, key),
        one: valueAt(one, key),
        two: valueAt(two, key),
      }));
      waiting.push(...inner.toReversed());
    } else list.push({ path, kind: "changed", before: one, after: two });
  }
  return { list, isAll: true };
}

type Folder = Json[] | { [name: string]: Json };

function isFolder(value: Json): value is Folder {
  return typeof value === "object" && value !== null;
}

function keysOf(one: Folder, two: Folder): (string | number)[] {
  if (Array.isArray(one) && Array.isArray(two))
    return Array.from({ length: Math.max(one.length, two.length) }, (_, index) => index);
  return [...new Set([...Object.keys(one), ...Object.keys(two)])];
}

function valueAt(value: Folder, key: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function place(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
