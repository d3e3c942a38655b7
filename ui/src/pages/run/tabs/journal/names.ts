// The journal refers to tasks and messages by number. Their names are in the requests that are loaded, in the
// groups of the run, and in its messages.
import type { JournalStep, MessageInfo, TaskGroup } from "../../../../api/schema";
import type { Names } from "./words";

export function namesOf(steps: JournalStep[], groups: TaskGroup[], messages: MessageInfo[]): Names {
  const tasks = new Map<number, string>();
  for (const step of steps)
    for (const each of step.requests)
      if (typeof each.name === "string" && typeof each.seq === "number" && /_task$/.test(String(each.kind)))
        tasks.set(each.seq, each.name);
  // The numbers of a group without gaps are all its own.
  const ranges = groups.filter(
    (each) =>
      each.kind === "task" &&
      each.first_seq !== null &&
      each.last_seq !== null &&
      each.count === each.last_seq - each.first_seq + 1,
  );
  const heard = new Map(messages.map((each) => [String(each.id), `${each.kind} ${each.name}`.trim()]));
  return {
    task: (seq) =>
      tasks.get(seq) ??
      ranges.find((each) => (each.first_seq ?? 0) <= seq && seq <= (each.last_seq ?? -1))?.name ??
      "",
    message: (id) => heard.get(id) ?? "",
  };
}
