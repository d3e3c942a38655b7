// A traceback as frames, so that the frames of the user's own code come first and the others fold.

export interface Frame {
  file: string;
  line: number;
  function: string;
  source: string;
  isMine: boolean;
}
export type Part =
  { kind: "frames"; frames: Frame[] } | { kind: "text"; text: string } | { kind: "error"; text: string };

/** Code that was installed and not written here. */
const FOREIGN =
  /(^|[\\/])(site-packages|dist-packages|lib[\\/]python\d|holdfast[\\/](engine|executors|authoring|client))|^<frozen |^<string>/;
const FRAME = /^ {2}File "(.*)", line (\d+)(?:, in (.*))?$/;
const MOST_LINES = 2_000;

/** What cannot be read as frames stays text. */
export function readTraceback(text: string): Part[] {
  const parts: Part[] = [];
  let frames: Frame[] = [];
  const flush = (): void => {
    if (frames.length) parts.push({ kind: "frames", frames });
    frames = [];
  };
  for (const line of text.split("\n", MOST_LINES)) {
    const found = FRAME.exec(line);
    const last = frames[frames.length - 1];
    if (found) {
      const file = found[1] ?? "";
      frames.push({
        file,
        line: Number(found[2]),
        function: found[3] ?? "",
        source: "",
        isMine: !FOREIGN.test(file),
      });
    } else if (last && /^ {4}/.test(line)) {
      if (!/^[\s^~]*$/.test(line)) last.source += (last.source ? "\n" : "") + line.trim();
    } else if (line.trim() && !line.startsWith("Traceback (most recent call last)")) {
      flush();
      parts.push({
        kind: /^[\w.]+(Error|Exception|Warning|Group)?(:|$)/.test(line) ? "error" : "text",
        text: line,
      });
    }
  }
  flush();
  return parts;
}

/** The last two parts of a path: enough to know the file. */
export function shortFile(file: string): string {
  return file.split(/[\\/]/).filter(Boolean).slice(-2).join("/");
}
