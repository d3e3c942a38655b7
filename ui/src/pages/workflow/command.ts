// The same start as a command, to be pasted into a shell.

/** Safe as it is, or in single quotes. */
export function quoted(text: string): string {
  return /^[A-Za-z0-9_\-./:@%+=,]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export interface Start {
  workflow: string;
  version: string | null;
  id: string;
  input: unknown;
  /** "" for the default one. */
  namespace: string;
  server: string;
}

/** `holdfast start fulfil --input '{"n": 1}'` */
export function commandOf(start: Start): string {
  const words = ["holdfast", "start", start.workflow];
  if (start.version) words.push("--version", start.version);
  const input = JSON.stringify(start.input ?? {});
  if (input !== "{}") words.push("--input", input);
  if (start.id) words.push("--id", start.id);
  if (start.namespace) words.push("--namespace", start.namespace);
  words.push("--server", start.server);
  return words.map(quoted).join(" ");
}
