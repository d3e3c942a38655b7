// Names of workflows.

/** Runs of holdfast itself, such as those that tell of alerts. They have no definition, and so no page. */
export function isOfHoldfast(workflow: string): boolean {
  return workflow.startsWith("holdfast.");
}
