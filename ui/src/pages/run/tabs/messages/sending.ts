// What can be sent to a run, and what the page says of it.
import type { ExplanationAnswer, MessageInfo } from "../../../../api/schema";
import type { Json, Keywords } from "../../../../parts/forms/schema";
import { waitedNames } from "../../../../text/waits";

export type Sending = "signal" | "update";

export const SIGNAL: Keywords = {
  type: "object",
  properties: { value: { default: null, description: "what goes with it" } },
};

/** The names that the run waits for now come first, then those that were sent before. */
export function knownNames(
  kind: Sending,
  waiting: string | null,
  explanation: ExplanationAnswer | undefined,
  messages: MessageInfo[],
): string[] {
  const waited = (explanation?.explanation.reasons ?? [])
    .filter((each) => each.kind === kind)
    .map((each) => each.name);
  const sent = messages.filter((each) => each.kind === kind).map((each) => each.name);
  return [...new Set([...waited, ...waitedNames(kind, waiting), ...sent.toReversed()])]
    .filter(Boolean)
    .slice(0, 20);
}

/** What to say beside the names that are offered: a field with a name in it offers no others. */
export function hintOf(names: string[]): string {
  if (names.length === 0) return "";
  if (names.length === 1) return "the run waits for it now, or has got it before";
  return `the run waits for one of these now, or has got it before: ${names.join(", ")}`;
}

export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return value[name];
}

/** What became of a message, in a word or two. */
export function fateOf(message: MessageInfo): { text: string; tone: "" | "needs" | "failed" } {
  if (message.problem) return { text: "refused", tone: "failed" };
  if (message.answer !== undefined && message.answer !== null) return { text: "answered", tone: "" };
  return message.is_read ? { text: "heard", tone: "" } : { text: "not read", tone: "needs" };
}
