// A JSON value as rows of a tree. Nodes are made when they are opened, so a value of 100,000 nodes costs what
// is looked at.
import type { Json } from "../forms/schema";

export type NodeKind = "object" | "list" | "text" | "number" | "bool" | "null" | "piece";

export interface TreeNode {
  id: number;
  parent: TreeNode | null;
  /** The name of a field or the index of an item; null for the root and for pieces of a text. */
  key: string | number | null;
  kind: NodeKind;
  value: Json;
  depth: number;
  isOpen: boolean;
  children: TreeNode[] | null;
}

/** A text that is longer is shown in pieces when it is opened. */
export const LONG = 240;
export const PIECE = 2_000;
const FIRST_ROWS = 60;
const MOST_HITS = 1_000;
const SEEN = 2_000_000;
let ids = 0;

function node(value: Json, parent: TreeNode | null, key: string | number | null): TreeNode {
  const depth = parent ? parent.depth + 1 : 0;
  return { id: ++ids, parent, key, kind: kindOf(value), value, depth, isOpen: false, children: null };
}

function kindOf(value: Json): NodeKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "object") return "object";
  if (typeof value === "string") return "text";
  return typeof value === "boolean" ? "bool" : "number";
}

/** The tree of a value, opened as far as a screen has room. */
export function treeOf(value: Json): TreeNode {
  const root = node(value, null, null);
  let rows = 1;
  let level = [root];
  while (level.length) {
    const next: TreeNode[] = [];
    for (const each of level) {
      const size = sizeOf(each);
      if (each.kind === "text" || !size) continue;
      if (rows + size > FIRST_ROWS && each !== root) continue;
      next.push(...open(each));
      rows += size;
    }
    level = next;
  }
  return root;
}

/** How many fields, items or characters it has. */
export function sizeOf(each: TreeNode): number {
  if (each.kind === "list") return (each.value as Json[]).length;
  if (each.kind === "object") return Object.keys(each.value as object).length;
  return each.kind === "text" ? (each.value as string).length : 0;
}

export function mayOpen(each: TreeNode): boolean {
  if (each.kind === "text") return (each.value as string).length > LONG;
  return (each.kind === "list" || each.kind === "object") && sizeOf(each) > 0;
}

export function open(each: TreeNode): TreeNode[] {
  each.isOpen = true;
  each.children ??= childrenOf(each);
  return each.children;
}

function childrenOf(each: TreeNode): TreeNode[] {
  if (each.kind === "list") return (each.value as Json[]).map((value, index) => node(value, each, index));
  if (each.kind === "object")
    return Object.entries(each.value as Record<string, Json>).map(([key, value]) => node(value, each, key));
  if (each.kind !== "text" || !mayOpen(each)) return [];
  return pieces(each.value as string).map((text) => ({ ...node(text, each, null), kind: "piece" as const }));
}

/** A long text in pieces that do not cut a character in two. */
export function pieces(text: string, length = PIECE): string[] {
  const found: string[] = [];
  for (let begin = 0; begin < text.length;) {
    let end = Math.min(text.length, begin + length);
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "")) end += 1;
    found.push(text.slice(begin, end));
    begin = end;
  }
  return found;
}

/** Opens everything below, but no texts, and at most about so many nodes. */
export function openAll(root: TreeNode, most = 100_000): void {
  const waiting = [root];
  for (let seen = 0; waiting.length && seen < most; seen++) {
    const each = waiting.pop();
    if (each && each.kind !== "text" && mayOpen(each)) waiting.push(...open(each).toReversed());
  }
}

export function closeAll(root: TreeNode): void {
  for (const each of root.children ?? []) each.isOpen = false;
}

/** What is seen, from top to bottom. */
export function rowsOf(root: TreeNode): TreeNode[] {
  const rows: TreeNode[] = [];
  const waiting = [root];
  for (let each = waiting.pop(); each; each = waiting.pop()) {
    rows.push(each);
    if (!each.isOpen || !each.children) continue;
    for (let index = each.children.length - 1; index >= 0; index--) waiting.push(each.children[index]!);
  }
  return rows;
}

/** `$.rows[3]["odd name"]` */
export function pathOf(each: TreeNode): string {
  const parts: string[] = [];
  for (let at: TreeNode | null = each; at; at = at.parent) {
    if (typeof at.key === "number") parts.push(`[${at.key}]`);
    else if (at.key !== null)
      parts.push(/^[A-Za-z_$][\w$]*$/.test(at.key) ? `.${at.key}` : `[${JSON.stringify(at.key)}]`);
  }
  return `$${parts.toReversed().join("")}`;
}

/** What is copied: text as it is, the rest as JSON. */
export function copied(each: TreeNode): string {
  return typeof each.value === "string" ? each.value : JSON.stringify(each.value, null, 2);
}

/** The first letters of what is folded: `id: 3, name: "row 3"`. */
export function preview(value: Json, most = 80): string {
  if (typeof value !== "object" || value === null) return short(value);
  let text = "";
  const isList = Array.isArray(value);
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    const each = (value as Record<string, Json>)[key] as Json;
    const part = `${isList ? "" : `${key.slice(0, 40)}: `}${short(each)}`;
    if (text.length + part.length > most) return text ? `${text}, …` : `${part.slice(0, most)}…`;
    text += (text && ", ") + part;
  }
  return text;
}

function short(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value.length > 30 ? `${value.slice(0, 30)}…` : value);
  if (Array.isArray(value)) return value.length ? "[…]" : "[]";
  if (value !== null && typeof value === "object") return "{…}";
  return String(value);
}

export type Hit = (string | number)[];

/** Where a text occurs in names, texts and other values, in order: at most 1,000 places. */
export function search(value: Json, text: string): { hits: Hit[]; isAll: boolean } {
  const wanted = text.toLowerCase();
  const hits: Hit[] = [];
  if (!wanted) return { hits, isAll: true };
  const waiting: Place[] = [{ value, key: null, above: null }];
  for (let seen = 0; waiting.length; seen++) {
    if (hits.length >= MOST_HITS || seen > SEEN) return { hits, isAll: false };
    const each = waiting.pop()!;
    const isName = typeof each.key === "string" && each.key.toLowerCase().includes(wanted);
    if (isName || isFound(each.value, wanted)) hits.push(hitOf(each));
    if (typeof each.value !== "object" || each.value === null) continue;
    const inner: [string | number, Json][] = Array.isArray(each.value)
      ? each.value.map((one, index) => [index, one])
      : Object.entries(each.value);
    for (const [key, one] of inner.toReversed()) waiting.push({ value: one, key, above: each });
  }
  return { hits, isAll: true };
}

interface Place {
  value: Json;
  key: string | number | null;
  above: Place | null;
}

function hitOf(place: Place): Hit {
  const keys: Hit = [];
  for (let at: Place | null = place; at; at = at.above) if (at.key !== null) keys.push(at.key);
  return keys.toReversed();
}

function isFound(value: Json, wanted: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(wanted);
  return typeof value !== "object" || value === null ? String(value).includes(wanted) : false;
}

/** Opens what is above a hit, and gives its node. In a long text it is the piece that has it. */
export function reveal(root: TreeNode, hit: Hit, text = ""): TreeNode {
  let at = root;
  for (const key of hit) {
    const child = open(at).find((each) => each.key === key);
    if (!child) return at;
    at = child;
  }
  const wanted = text.toLowerCase();
  const place = wanted && at.kind === "text" ? (at.value as string).toLowerCase().indexOf(wanted) : -1;
  if (place <= LONG || !mayOpen(at)) return at;
  return open(at).find((each) => (each.value as string).toLowerCase().includes(wanted)) ?? at;
}
