// What is said of a durable state that was shown as it was then.
import type { PastState } from "../../../../api/schema";

export type NotKept = PastState["not_kept"][number];

/** A part of a sentence: text, or the number of a step. */
export type Part = string | number;

/** Why a key has no value. The sentence follows the name of the key. */
export function whyNotKept({ set_at, changed_at }: NotKept): Part[] {
  if (set_at !== null && changed_at !== null)
    return [
      "step ",
      set_at,
      " had set it, and step ",
      changed_at,
      " has changed it: its value of then is not kept.",
    ];
  if (set_at !== null)
    return [
      "step ",
      set_at,
      " had set it. Its value of then is not known: the journal goes on for too long.",
    ];
  if (changed_at !== null)
    return ["step ", changed_at, " has changed it. Whether it was there before is not known."];
  return ["whether it was there then is not known: the journal is too long."];
}

/** What the step has done to the state: the keys, each with a word. */
export function changesIn(state: PastState): { key: string; what: "set" | "removed" }[] {
  return [
    ...state.changed.map((key) => ({ key, what: "set" as const })),
    ...state.removed.map((key) => ({ key, what: "removed" as const })),
  ];
}

/** Whether there was no key, as far as is known. */
export function wasEmpty(state: PastState): boolean {
  return state.is_all && state.not_kept.length === 0 && Object.keys(state.values).length === 0;
}

/** Whether the run had ended at that time; null is now. */
export function hadEnded(finishedAt: string | null, at: string | null): boolean {
  return finishedAt !== null && (at === null || Date.parse(finishedAt) <= Date.parse(at));
}
