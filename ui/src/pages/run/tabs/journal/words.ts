// A step of the journal in words: what the run heard, and what it asked for then.
import type { JournalStep } from "../../../../api/schema";
import { count } from "../../../../text/numbers";
import { timeOfDay } from "../../../../text/times";

export type Entry = JournalStep["events"][number];

/** The names of tasks by number, as far as they are known, and messages by their id. */
export interface Names {
  task(seq: number): string;
  message(id: string): string;
}

/** A part of a sentence. `task` is the number of the task that it names. */
export interface Words {
  text: string;
  task?: number;
}

const WHATS: Record<string, [string, string]> = {
  task_ended: ["task", "ended"],
  child_ended: ["child", "ended"],
  timer_fired: ["timer", "fired"],
  schedule_task: ["task", ""],
  open_task: ["task", "opened"],
  record_task: ["task", "recorded"],
  resume_task: ["task", "again"],
  resume_child: ["child", "again"],
  cancel_task: ["task", "cancelled"],
  cancel_timer: ["timer", "cancelled"],
  cancel_child: ["child", "cancelled"],
  close_question: ["question", "closed"],
};

/** Entries side by side that differ in their number alone are one: `tasks 2 – 2,001 price`. */
export function wordsOf(entries: Entry[], names: Names, most = 8): Words[] {
  const words: Words[] = [];
  for (let begin = 0; begin < entries.length;) {
    if (words.length === most) {
      words.push({ text: `and ${count(entries.length - begin)} more` });
      break;
    }
    const first = entries[begin]!;
    let end = begin + 1;
    while (end < entries.length && isNext(entries[end - 1]!, entries[end]!, names)) end += 1;
    words.push(end - begin > 1 ? range(first, entries[end - 1]!, end - begin, names) : one(first, names));
    begin = end;
  }
  return words;
}

function isNext(before: Entry, after: Entry, names: Names): boolean {
  if (before.kind !== after.kind || !(String(before.kind) in WHATS) || before.kind === "close_question")
    return false;
  const [one, two] = [numberOf(before), numberOf(after)];
  return two === one + 1 && nameOf(before, names) === nameOf(after, names);
}

function range(first: Entry, last: Entry, size: number, names: Names): Words {
  const [what, did] = WHATS[String(first.kind)] ?? ["entry", ""];
  const many = what === "child" ? "children" : `${what}s`;
  const name = nameOf(first, names);
  const text = `${many} ${count(numberOf(first))} – ${count(numberOf(last))}`;
  const words: Words = { text: [text, name, did].filter(Boolean).join(" ") };
  return what === "task" && size > 0 ? { ...words, task: numberOf(first) } : words;
}

function one(entry: Entry, names: Names): Words {
  const kind = String(entry.kind);
  const known = WHATS[kind];
  if (known) {
    const [what, did] = known;
    const failed = entry.has_failed === true ? "failed" : did;
    const text = [`${what} ${count(numberOf(entry))}`, nameOf(entry, names), failed]
      .filter(Boolean)
      .join(" ");
    return what === "task" ? { text, task: numberOf(entry) } : { text };
  }
  return { text: other(kind, entry, names) };
}

function other(kind: string, entry: Entry, names: Names): string {
  const name = String(entry.name ?? "");
  switch (kind) {
    case "message_received":
      return names.message(String(entry.message)) || "a message";
    case "deadline_passed":
      return "its deadline passed";
    case "reopened":
      return "opened again";
    case "timers_moved":
      return "timers moved";
    case "start_timer":
      return `timer ${count(numberOf(entry))} until ${timeOfDay(String(entry.due))}`;
    case "start_child":
      return `child ${count(numberOf(entry))} ${String(entry.workflow ?? "")}`.trim();
    case "set_state":
      return `state ${String(entry.key)}`;
    case "mark_patch":
      return `patch ${String(entry.change_id)}`;
    case "mark_undone":
      return "work undone";
    case "answer_update":
      return `answer to ${names.message(String(entry.message)) || "an update"}`;
    case "ask_question":
      return `question ${name}`;
    case "expect_message":
      return `${String(entry.waits_for ?? "message")} ${name}`;
    case "end_run":
      return `the end: ${String(entry.status)}`;
    case "continue_run":
      return `chapter ${String(entry.chapter)}`;
    default:
      return [kind.replaceAll("_", " "), name].filter(Boolean).join(" ");
  }
}

function numberOf(entry: Entry): number {
  return typeof entry.seq === "number" ? entry.seq : 0;
}

function nameOf(entry: Entry, names: Names): string {
  if (typeof entry.name === "string") return entry.name;
  return /task/.test(String(entry.kind)) ? names.task(numberOf(entry)) : "";
}

/** What makes two steps alike: the same kinds and names, whatever the numbers are. Null is like nothing. */
export function likeness(step: JournalStep, names: Names): string | null {
  if (step.problem || !step.events.length || step.events.length > 50 || step.requests.length) return null;
  const parts = step.events.map(
    (each) => `${String(each.kind)} ${nameOf(each, names)} ${each.has_failed === true}`,
  );
  return [...new Set(parts)].sort().join("\n");
}
