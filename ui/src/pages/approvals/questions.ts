// What the page of approvals decides: how a question is answered, by whom, and in which order they stand.
import type { QuestionInfo } from "../../api/schema";
import { definitionsOf, resolve, type Keywords } from "../../parts/forms/schema";
import { shortened, visible } from "../../text/safe";

/** `yesno`: two buttons. `any`: those, or any JSON. `form`: what the schema asks for. */
export type AnswerKind = "yesno" | "any" | "form";

export function answerKind(schema: QuestionInfo["schema"]): AnswerKind {
  if (schema === null || schema === undefined || schema === true) return "any";
  if (typeof schema !== "object") return "form";
  const keywords = schema as Keywords;
  const found = resolve(keywords, definitionsOf(keywords));
  return found.type === "boolean" && found.enum === undefined && found.const === undefined ? "yesno" : "form";
}

export function questionId(question: Pick<QuestionInfo, "key" | "number">): string {
  return `${question.key}.${question.number}`;
}

/** The server decides; this says beforehand that it would refuse. */
export function mayAnswer(question: Pick<QuestionInfo, "by">, name: string): boolean {
  return question.by === null || question.by === undefined || question.by.includes(name);
}

export interface Fact {
  name: string;
  text: string;
  /** How many characters were left out. */
  left: number;
}

const MOST_FACTS = 12;
const MOST_TEXT = 600;

/** Facts as names and texts: of a map its entries, of anything else one without a name. */
export function factsOf(value: unknown): { facts: Fact[]; left: number } {
  if (value === null || value === undefined) return { facts: [], left: 0 };
  const isMap = typeof value === "object" && !Array.isArray(value);
  const entries = isMap ? Object.entries(value) : [["", value] as const];
  const facts = entries.slice(0, MOST_FACTS).map(([name, each]) => {
    const cut = shortened(typeof each === "string" ? each : inline(each), MOST_TEXT);
    return { name: visible(name), text: visible(cut.text), left: cut.left };
  });
  return { facts, left: entries.length - facts.length };
}

/** `name Lindqvist AB, since 2023`: nested facts are read, not decoded. */
function inline(value: unknown): string {
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value) && value.every((each) => each === null || typeof each !== "object"))
    return value.join(", ");
  const entries = Array.isArray(value) ? [] : Object.entries(value);
  if (entries.length && entries.every(([, each]) => each === null || typeof each !== "object"))
    return entries.map(([name, each]) => `${name} ${String(each)}`).join(", ");
  return JSON.stringify(value);
}

export interface Listed {
  question: QuestionInfo;
  /** It was open, and is not any more: somebody answered, or the run went on. */
  isGone: boolean;
}

/** The list after a reload. What was there stays where it was, so that nothing moves under the hand. */
export function merge(before: readonly Listed[], open: readonly QuestionInfo[]): Listed[] {
  const fresh = new Map(open.map((each) => [questionId(each), each]));
  const kept = before.map(({ question }) => {
    const found = fresh.get(questionId(question));
    fresh.delete(questionId(question));
    return found ? { question: found, isGone: false } : { question, isGone: true };
  });
  return [...kept, ...[...fresh.values()].map((question) => ({ question, isGone: false }))];
}

/** The one that comes next after `id` and can be answered; the first one if there is none behind it. */
export function nextOpen(list: readonly Listed[], id: string): Listed | null {
  const at = list.findIndex((each) => questionId(each.question) === id);
  const order = [...list.slice(at + 1), ...list.slice(0, Math.max(0, at))];
  return order.find((each) => !each.isGone) ?? null;
}

interface Reason {
  kind: string;
  name: string;
  since?: string | null;
  until?: string | null;
}

/** When the run gives up waiting for the answer, as its explanation tells; null if it does not, or is not known. */
export function givesUpAt(
  question: Pick<QuestionInfo, "asked_at" | "name">,
  reasons: readonly Reason[],
): string | null {
  const own = reasons.find((each) => each.kind !== "timer" && each.name === question.name && each.until);
  if (own?.until) return own.until;
  // A timeout begins with the question: the timer that was set at the same instant is its.
  const asked = Date.parse(question.asked_at);
  const timer = reasons.find(
    (each) => each.kind === "timer" && each.since && Math.abs(Date.parse(each.since) - asked) < 2,
  );
  return timer?.until ?? null;
}
