// What is typed into the form that starts a run. It outlives a new version of the workflow: a form whose fields
// are the same goes on, and one that was filled in stays for its version until somebody takes the other.
import type { WorkflowDetails } from "../../api/schema";
import { Form } from "../../parts/forms/form.svelte";
import type { Json, Schema } from "../../parts/forms/schema";

const ANYTHING: Schema = { type: "object" } as Schema;

export type Started = Pick<WorkflowDetails, "version" | "input_schema">;

export class StartInput {
  form: Form = $state.raw()!;
  /** The version that the form is of. */
  details: Started = $state.raw()!;
  /** The version that the page shows, whose input is another one, while the form is kept. */
  other = $state.raw<Started | null>(null);
  private begun = "";

  constructor(details: Started) {
    this.begin(details);
  }

  /** The page shows another version, or the same again. */
  show(details: Started): void {
    this.other = null;
    if (schemaText(details) === schemaText(this.details)) this.details = details;
    else if (this.form.filled === this.begun) this.begin(details);
    else this.other = details;
  }

  /** The form of the other version, with what was filled in. */
  takeOther(): void {
    const { value } = this.form;
    if (this.other) this.begin(this.other, value);
    this.other = null;
  }

  private begin(details: Started, value?: Json): void {
    const known = details.input_schema as Schema | null;
    // Without fields it is a field for JSON, and no input at all is right.
    const hasFields = typeof known === "object" && known !== null && "properties" in known;
    this.details = details;
    this.form = new Form(known ?? ANYTHING, hasFields ? undefined : {});
    this.begun = this.form.filled;
    if (value !== undefined) this.form.fill(value);
  }
}

function schemaText(details: Started): string {
  return JSON.stringify(details.input_schema ?? null);
}
