// What can be sent to a run, and what the page says of it.
import type { ExplanationAnswer, MessageInfo } from "../../../../api/schema";
import type { Json, Keywords } from "../../../../parts/forms/schema";

export type Sending = "signal" | "update";

export const SIGNAL: Keywords = {
  type: "object",
  properties: { value: { default: null, description: "what goes with it" } },
};

/** The names that the run waits for now come first, then those that were sent before. */
export function knownNames(
  kind: Sending,
  explanation: ExplanationAnswer | undefined,
  messages: MessageInfo[],
): string[] {
  const waited = (explanation?.explanation.reasons ?? [])
    .filter((each) => each.kind === kind)
    .map((each) => each.name);
  const sent = messages.filter((each) => each.kind === kind).map((each) => each.name);
  return [...new Set([...waited, ...sent.toReversed()])].filter(Boolean).slice(0, 20);
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
