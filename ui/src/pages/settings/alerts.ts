// A rule for alerts as a form: spans as text, tags as one line.
import type { AlertAnswer, NewAlert } from "../../api/schema";
import { readDuration } from "../../text/spans";

export type AlertKind = "failed" | "parked" | "late" | "waiting";

export const KINDS: [AlertKind, string][] = [
  ["failed", "a run has failed"],
  ["parked", "a run was parked: it cannot go on with the code there is"],
  ["late", "a run has not ended so long after its creation"],
  ["waiting", "a question is open for so long"],
];

export interface AlertForm {
  name: string;
  url: string;
  on: AlertKind[];
  lateAfter: string;
  waitingAfter: string;
  workflow: string;
  tags: string;
  secret: string;
  atMost: number;
  enabled: boolean;
}

export type Wrong = Partial<Record<keyof AlertForm, string>>;

/** Written so that it is read as exactly the same: a form that is saved untouched changes nothing. */
export function spanText(seconds: number): string {
  for (const [unit, length] of [
    ["d", 86_400],
    ["h", 3_600],
    ["min", 60],
  ] as const) {
    if (seconds >= length && seconds % length === 0) return `${seconds / length}${unit}`;
  }
  return `${seconds}s`;
}

export function emptyForm(): AlertForm {
  return {
    name: "",
    url: "",
    on: ["failed", "parked"],
    lateAfter: "1h",
    waitingAfter: "1h",
    workflow: "",
    tags: "",
    secret: "",
    atMost: 60,
    enabled: true,
  };
}

export function formOf(rule: AlertAnswer): AlertForm {
  return {
    name: rule.name,
    url: rule.url,
    on: KINDS.map(([kind]) => kind).filter((kind) => rule.on.includes(kind)),
    lateAfter: spanText(rule.late_after ?? 3_600),
    waitingAfter: spanText(rule.waiting_after ?? 3_600),
    workflow: rule.workflow ?? "",
    tags: rule.tags.join(", "),
    secret: rule.secret ?? "",
    atMost: rule.at_most,
    enabled: rule.enabled,
  };
}

/** What the server would refuse, said beside the field. The server has the last word. */
export function wrongIn(form: AlertForm): Wrong {
  const wrong: Wrong = {};
  if (!form.name.trim()) wrong.name = "A rule needs a name.";
  if (!/^https?:\/\/[^\s/]+/.test(form.url.trim()))
    wrong.url = "An address that begins with http:// or https://.";
  if (form.on.length === 0) wrong.on = "Choose at least one.";
  if (form.on.includes("late") && !readDuration(form.lateAfter.trim()))
    wrong.lateAfter = "A span, such as 2h.";
  if (form.on.includes("waiting") && !readDuration(form.waitingAfter.trim()))
    wrong.waitingAfter = "A span, such as 30min.";
  if (!Number.isInteger(form.atMost) || form.atMost < 1) wrong.atMost = "A whole number from 1 on.";
  return wrong;
}

export function bodyOf(form: AlertForm): NewAlert {
  return {
    url: form.url.trim(),
    on: form.on,
    workflow: form.workflow.trim() || null,
    tags: form.tags
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean),
    late_after: form.on.includes("late") ? readDuration(form.lateAfter.trim()) : null,
    waiting_after: form.on.includes("waiting") ? readDuration(form.waitingAfter.trim()) : null,
    secret: form.secret.trim() || null,
    at_most: form.atMost,
    enabled: form.enabled,
  };
}
