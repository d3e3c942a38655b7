// The numbers in the header of a run, in words.
import type { RunFacts } from "../../api/schema";
import { count } from "../../text/numbers";

export interface Tally {
  count: string;
  word: string;
  isBad: boolean;
}

type Tasks = Pick<
  RunFacts,
  "tasks" | "tasks_done" | "tasks_skipped" | "tasks_running" | "tasks_failed" | "is_counted_exactly"
>;

/** `12 tasks done`, `1 under way`, `1 failed`: the first names the thing, and nothing is said of none. */
export function talliesOf(facts: Tasks, isEnded: boolean): Tally[] {
  const told = facts.tasks_done + facts.tasks_skipped + facts.tasks_running + facts.tasks_failed;
  return [
    { number: facts.tasks_done, word: "done" },
    { number: facts.tasks_running, word: "under way" },
    { number: facts.tasks_failed, word: "failed", isBad: true },
    { number: facts.tasks_skipped, word: "skipped" },
    { number: facts.tasks - told, word: isEnded ? "not done" : "not begun" },
  ]
    .filter((each) => each.number > 0)
    .map(({ number, word, isBad = false }, index) => ({
      count: count(number, facts.is_counted_exactly),
      word: index > 0 ? word : `${number === 1 ? "task" : "tasks"} ${word}`,
      isBad,
    }));
}
