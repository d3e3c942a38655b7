// What an update is called with, and where the run says that it does not fit.
import type { Problem } from "../../../../api/client";
import type { WorkflowUpdate } from "../../../../api/schema";
import type { Json, Keywords } from "../../../../parts/forms/schema";
import { fieldOf } from "./sending";

/** Of an update whose parameters are not known. */
export const ANY_ARGUMENTS: Keywords = {
  type: "object",
  properties: {
    arguments: { type: "array", items: {}, default: [], description: "each as JSON, in their order" },
  },
};

/** The arguments in their order. What was left out is what the handler takes then. */
export function argumentsOf(update: WorkflowUpdate | undefined, value: Json | undefined): Json[] {
  if (!update?.schema) return (fieldOf(value, "arguments") ?? []) as Json[];
  const fields = (update.schema.properties ?? {}) as Record<string, Keywords>;
  return update.parameters.flatMap((title) => {
    const name = title.replace(/^\*/, "");
    const given = fieldOf(value, name);
    const filled = given === undefined ? ((fields[name]?.default ?? null) as Json) : given;
    return title.startsWith("*") ? (filled as Json[]) : [filled];
  });
}

const REASON =
  /^the arguments of update (?:'[^']*'|"[^"]*"): (?:a key of )?([^\s:.[]+)((?:\.[^\s:.[]+|\[[^\]]*\])*): ([^]+)$/;

/** The field that the run refuses, with the path that the form has for it; null if it is none. */
export function refusedField(
  problem: Pick<Problem, "code" | "answer">,
  update: WorkflowUpdate | undefined,
): { path: string; problem: string } | null {
  const reason = problem.code === "update_refused" ? problem.answer.facts?.reason : null;
  const [, name = "", rest = "", why = ""] = REASON.exec(typeof reason === "string" ? reason : "") ?? [];
  const fields = (update?.schema?.properties ?? {}) as Keywords;
  return Object.hasOwn(fields, name) ? { path: name + rest, problem: why } : null;
}
