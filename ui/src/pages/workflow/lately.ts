// What a run waits for, or why it failed, on one line.
import type { RunInfo } from "../../api/schema";
import { waitsText } from "../../text/waits";

export function endOf(run: Pick<RunInfo, "waiting" | "failure">, now: number): string {
  if (run.failure) {
    const type = run.failure.type.slice(run.failure.type.lastIndexOf(":") + 1);
    return `${type}: ${run.failure.message}`.replace(/\s+/g, " ");
  }
  // When it gives up is in the run itself.
  return run.waiting ? waitsText(run.waiting.replace(/; until [^;]*$/, ""), now) : "";
}
