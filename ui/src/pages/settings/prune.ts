import { readDuration } from "../../text/spans";

export type Ended = "success" | "failed" | "cancelled";
export const ENDS: Ended[] = ["success", "failed", "cancelled"];

export interface PruneForm {
  age: string;
  ends: Ended[];
  workflow: string;
}

export interface PruneRequest {
  older_than: number;
  status: Ended[] | null;
  workflow: string | null;
}

/** The request, or what is wrong with the form. */
export function readPrune(form: PruneForm): PruneRequest | string {
  const age = readDuration(form.age.trim());
  if (age === null) return "Write a span of time, such as 30d, 12h or 90min.";
  if (form.ends.length === 0) return "Choose at least one way to end.";
  const workflow = form.workflow.trim();
  return {
    older_than: age,
    status: form.ends.length === ENDS.length ? null : form.ends,
    workflow: workflow || null,
  };
}

/** How far a job is, from 0 to 1; null if nobody knows. */
export function shareDone(job: {
  matched: number | null;
  done: number;
  failed: number;
  skipped: number;
}): number | null {
  if (!job.matched) return null;
  return Math.min(1, (job.done + job.failed + job.skipped) / job.matched);
}
