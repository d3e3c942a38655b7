// A form made from a JSON Schema. The page that has it makes a `Form`, shows it with SchemaForm.svelte, and
// asks `submit()` for the value.
import { entryOf, formOf, read, readJson, written, type Entry, type Read } from "./entries";
import { fieldOf, type Json, type Schema } from "./schema";

export class Form {
  root: Entry = $state()!;
  /** The same as JSON, while it is shown as JSON. */
  text = $state("");
  isJson = $state(false);
  /** Somebody tried to send it: what is wrong is shown everywhere. */
  isTried = $state(false);
  /** Why the JSON cannot be shown as a form. */
  refusal = $state("");
  /** What the server has found wrong with the value that was sent. */
  private told = $state.raw<{ path: string; problem: string; value: string } | null>(null);
  private readonly found: Read = $derived.by(() => {
    const { value, problems } = this.isJson ? readJson(this.text, this.schema) : read(this.root, this.schema);
    if (this.told && this.told.value === JSON.stringify(value) && !problems.has(this.told.path))
      problems.set(this.told.path, this.told.problem);
    return { value, problems };
  });

  constructor(
    readonly schema: Schema,
    start?: Json,
  ) {
    const root = formOf(schema, start);
    this.root = root ?? entryOf(fieldOf("", schema));
    if (root === null && start !== undefined) {
      this.isJson = true;
      this.text = written(start);
    }
  }

  /** What would be sent as it is now; undefined if that is nothing. */
  get value(): Json | undefined {
    return this.found.value;
  }
  /** By path, such as `lines[2].count`. */
  get problems(): Map<string, string> {
    return this.found.problems;
  }
  get isRight(): boolean {
    return this.problems.size === 0;
  }
  /** The schema asks for JSON anyway. */
  get isOnlyJson(): boolean {
    return this.root.field.kind === "json";
  }
  /** All that is filled in, right or wrong. It tells whether somebody has typed since. */
  get filled(): string {
    if (this.isJson) return this.text;
    return JSON.stringify(this.root, (name, value: unknown) => (name === "isTouched" ? undefined : value));
  }
  /** There is nothing to fill in. */
  get isEmpty(): boolean {
    return this.root.field.kind === "object" && this.root.children.length === 0;
  }

  /** The value if it is right; otherwise null, and the form shows what is wrong. */
  submit(): { value: Json | undefined } | null {
    this.isTried = true;
    return this.isRight ? { value: this.value } : null;
  }

  /** Marks a place as the server does that refused the value, until something is changed. */
  refuse(path: string, problem: string): void {
    this.told = { path, problem, value: JSON.stringify(this.value) };
  }

  /** Shows the same as JSON. */
  showJson(): void {
    this.text = written(this.value ?? (this.root.field.kind === "object" ? {} : null));
    this.isJson = true;
    this.refusal = "";
  }

  /** Shows the JSON as a form, if it is JSON that the form has fields for. */
  showForm(): void {
    const { value } = this.found;
    const root = value === undefined ? null : formOf(this.schema, value);
    if (root) {
      this.root = root;
      this.isJson = false;
      this.refusal = "";
    } else
      this.refusal =
        value === undefined
          ? "Mend the JSON first."
          : "The form has no place for all of this, so it stays JSON.";
  }

  /** Another value, such as one that was pasted. */
  fill(value: Json): void {
    const root = formOf(this.schema, value);
    this.isJson = root === null;
    if (root) this.root = root;
    else this.text = written(value);
  }
}

/** What is wrong here. A field that has no fields of its own also tells what is wrong inside of it. */
export function problemAt(problems: Map<string, string>, path: string, isLeaf: boolean): string {
  const own = problems.get(path);
  if (own !== undefined || !isLeaf) return own ?? "";
  for (const [place, problem] of problems)
    if (place.startsWith(`${path}.`) || place.startsWith(`${path}[`) || path === "")
      return `${place.slice(path.length).replace(/^\./, "")}: ${problem}`;
  return "";
}
