// A unified diff as lines with the numbers that they have in both texts.
export interface DiffLine {
  kind: "same" | "added" | "removed" | "gap";
  before: number | null;
  after: number | null;
  text: string;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** At most `most` lines; `left` says how many more there are. */
export function readDiff(text: string, most: number): { lines: DiffLine[]; left: number } {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const lines: DiffLine[] = [];
  let [before, after] = [0, 0];
  let isInside = false;
  let left = 0;
  for (const line of all) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      if (isInside || before > 1) lines.push({ kind: "gap", before: null, after: null, text: "" });
      isInside = true;
      continue;
    }
    if (!isInside) continue; // the names of the two texts
    if (lines.length >= most) {
      left += 1;
      continue;
    }
    const rest = line.slice(1);
    if (line.startsWith("+")) lines.push({ kind: "added", before: null, after: after++, text: rest });
    else if (line.startsWith("-")) lines.push({ kind: "removed", before: before++, after: null, text: rest });
    else lines.push({ kind: "same", before: before++, after: after++, text: rest });
  }
  return { lines, left };
}
