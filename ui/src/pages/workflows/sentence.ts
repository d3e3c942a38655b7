// What is so with the workflows, in a sentence.
import type { Part } from "../../parts/Parts.svelte";
import { counted } from "../../text/numbers";
import type { Row } from "./listing";

const MOST_NAMED = 3;

/** `span` is the time that the activity is of: "24 h". */
export function sentenceOf(rows: Row[], span: string): Part[] {
  const all = counted(rows.length, "workflow");
  const failing = rows
    .filter((row) => (row.activity?.failed ?? 0) > 0)
    .sort((one, other) => (other.activity?.failed ?? 0) - (one.activity?.failed ?? 0));
  const open = rows.reduce((sum, row) => sum + (row.activity?.open ?? 0), 0);
  const ended = rows.reduce((sum, row) => sum + (row.activity?.ended ?? 0), 0);
  const under: Part = {
    text: ` ${open === 1 ? "One run is" : `${open.toLocaleString("en")} runs are`} under way.`,
  };
  if (!failing.length) {
    const none = ended
      ? ` ${counted(ended, "run")} ended in ${span}, none failed.`
      : ` No run ended in ${span}.`;
    return [{ text: `${all}.`, kind: "strong" }, { text: none }, ...(open ? [under] : [])];
  }
  const named: Part[] = failing
    .slice(0, MOST_NAMED)
    .flatMap((row, index) => [
      { text: index === 0 ? " " : ", " },
      { text: row.info.name, kind: "workflow", ref: row.info.name },
      { text: ` (${row.activity?.failed} of ${row.activity?.ended})` },
    ]);
  const left = failing.length - MOST_NAMED;
  const begin = `${all}, ${failing.length === 1 ? "one of them" : failing.length} with failed runs in ${span}:`;
  return [
    { text: begin, kind: "strong" },
    ...named,
    { text: left > 0 ? `, and ${left} more.` : "." },
    ...(open ? [under] : []),
  ];
}
