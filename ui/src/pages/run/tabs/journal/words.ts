// A step of the journal in words: what the run heard, and what it asked for then.
import type { JournalStep } from "../../../../api/schema";
import { count, counted } from "../../../../text/numbers";
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
  start_timer: ["timer", ""],
  start_child: ["child", ""],
  open_task: ["task", "opened"],
  record_task: ["task", "recorded"],
  resume_task: ["task", "again"],
  resume_child: ["child", "again"],
  cancel_task: ["task", "cancelled"],
  cancel_timer: ["timer", "cancelled"],
  cancel_child: ["child", "cancelled"],
  close_question: ["question", "closed"],
};

/** One of these says more than its number. */
const SINGLE = new Set(["start_timer", "start_child"]);

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
    words.push(end - begin > 1 ? range(first, entries[end - 1]!, names) : one(first, names));
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

/** `some` is how many of the numbers from the first to the last are meant, if not all of them are. */
function range(first: Entry, last: Entry, names: Names, some?: number): Words {
  const [what, did] = WHATS[String(first.kind)] ?? ["entry", ""];
  const many = what === "child" ? "children" : `${what}s`;
  const name = nameOf(first, names);
  const numbers = `${many} ${count(numberOf(first))} – ${count(numberOf(last))}`;
  const text = some === undefined ? numbers : `${count(some)} of ${numbers}`;
  const words: Words = { text: [text, name, did].filter(Boolean).join(" ") };
  return what === "task" ? { ...words, task: numberOf(first) } : words;
}

function one(entry: Entry, names: Names): Words {
  const kind = String(entry.kind);
  const known = WHATS[kind];
  if (known && !SINGLE.has(kind)) {
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
  if (typeof entry.workflow === "string") return entry.workflow;
  return /task/.test(String(entry.kind)) ? names.task(numberOf(entry)) : "";
}

/** Requests that a loop repeats. Others, such as a change of state, are never folded away. */
const REPEATED = new Set(["schedule_task", "start_timer", "start_child"]);
const FEW = 50;

/** What makes two steps alike: the same kinds and names, whatever the numbers are. Null is like nothing. */
export function likeness(step: JournalStep, names: Names): string | null {
  const { events, requests } = step;
  if (step.problem || !events.length || events.length > FEW || requests.length > FEW) return null;
  if (requests.some((each) => !REPEATED.has(String(each.kind)))) return null;
  const parts = [...events, ...requests].map(
    (each) =>
      `${String(each.kind)} ${nameOf(each, names)} ${String(each.workflow ?? "")} ${each.has_failed === true}`,
  );
  return [...new Set(parts)].sort().join("\n");
}

/** Entries of many steps: one part for each kind and name, with the least and the greatest number. */
export function summed(entries: Entry[], names: Names): Words[] {
  const groups = new Map<string, Entry[]>();
  for (const each of entries) {
    const key = `${String(each.kind)} ${nameOf(each, names)}`;
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return [...groups.values()].map((group) => {
    const sorted = group.toSorted((before, after) => numberOf(before) - numberOf(after));
    const [first, last] = [sorted[0]!, sorted.at(-1)!];
    if (String(first.kind) === "message_received") return { text: counted(group.length, "message") };
    if (group.length === 1) return one(first, names);
    const found = new Set(group.map(numberOf)).size;
    const isWhole = found === numberOf(last) - numberOf(first) + 1;
    return range(first, last, names, isWhole ? undefined : found);
  });
}
