import { expect, test } from "vitest";
import { ACTS, narrowed, progressText, titleOf, wordsOf } from "./acts";
import { RUN_STATES } from "../../text/states";

test("an act is asked for only where it can be done", () => {
  expect(narrowed({ status: ["failed", "success"] }, wordsOf("retry"))).toEqual({ status: ["failed"] });
  expect(narrowed<{ workflow: string; status?: string[] }>({ workflow: "fulfil" }, wordsOf("pause"))).toEqual(
    {
      workflow: "fulfil",
      status: ["pending", "running"],
    },
  );
  expect(narrowed({ status: ["success"] }, wordsOf("cancel"))).toBeNull();
});

test("each state has something that can be done to it", () => {
  for (const state of RUN_STATES) expect(ACTS.some((each) => each.states.includes(state))).toBe(true);
});

test("the question has the number in it", () => {
  expect(titleOf(wordsOf("retry"), 36)).toBe("Retry 36 runs?");
  expect(titleOf(wordsOf("delete"), 1)).toBe("Delete 1 run?");
  expect(titleOf(wordsOf("cancel"), 10_000, false)).toBe("Cancel at least 10,000 runs?");
});

test("progress is said in a sentence", () => {
  const progress = {
    words: wordsOf("retry"),
    total: 36,
    done: 12,
    refused: 1,
    isOver: false,
    isUnheard: false,
    problem: "",
  };

  expect(progressText(progress)).toBe("Retrying 36 runs: 12 done, 1 refused.");
  expect(progressText({ ...progress, done: 36, refused: 0, isOver: true })).toBe(
    "Retry of 36 runs: 36 done.",
  );
  expect(progressText({ ...progress, total: null })).toBe("Retrying runs: 12 done, 1 refused.");
  expect(progressText({ ...progress, isOver: true, problem: "It was cancelled." })).toContain(
    "It stopped: It was",
  );
});
