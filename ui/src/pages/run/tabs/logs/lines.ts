// Which lines of a log are shown, where a text is found in them, and what is downloaded.
import type { LogEntry } from "../../../../api/schema";
import { plain } from "../../../../parts/ansi";

export const SOURCES = ["stdout", "stderr", "info", "warning", "holdfast"] as const;
export type Source = (typeof SOURCES)[number];

export const TITLES: Record<Source, string> = {
  stdout: "stdout",
  stderr: "stderr",
  info: "INFO",
  warning: "WARNING+",
  holdfast: "holdfast",
};

const LOW = new Set(["NOTSET", "TRACE", "DEBUG", "INFO"]);

/** Levels of logging are in two: up to INFO, and from WARNING on. */
export function sourceOf(stream: string): Source {
  if (stream === "stdout" || stream === "stderr" || stream === "holdfast") return stream;
  return LOW.has(stream.toUpperCase()) ? "info" : "warning";
}

export function readHidden(text: string): Set<Source> {
  return new Set(SOURCES.filter((each) => text.split(",").includes(each)));
}

export function writeHidden(hidden: Set<Source>): string {
  return SOURCES.filter((each) => hidden.has(each)).join(",");
}

export interface Wanted {
  hidden: Set<Source>;
  /** Only lines of tasks of this name; "" for all. */
  task: string;
}

export function isShown(line: LogEntry, wanted: Wanted): boolean {
  return (!wanted.task || line.task === wanted.task) && !wanted.hidden.has(sourceOf(line.stream));
}

/** The indexes of the lines that have the text. Case does not matter, and colours are not searched. */
export function find(lines: LogEntry[], text: string): number[] {
  const wanted = text.toLowerCase();
  const found: number[] = [];
  if (!wanted) return found;
  lines.forEach((line, index) => {
    if (plain(line.text).toLowerCase().includes(wanted)) found.push(index);
  });
  return found;
}

/** `price_orders[412]`; the workflow's own lines have no task. */
export function whoOf(line: LogEntry): string {
  if (line.task === null) return "workflow";
  return line.index === null ? line.task : `${line.task}[${line.index}]`;
}

/** The tone of the word for where a line comes from. */
export function toneOf(stream: string): "" | "needs" | "failed" {
  if (stream === "stderr" || stream === "ERROR" || stream === "CRITICAL") return "failed";
  return stream === "WARNING" ? "needs" : "";
}

/** A line of the file that is downloaded. */
export function written(line: LogEntry): string {
  const attempt = line.attempt ? ` #${line.attempt}` : "";
  return `${line.at} ${whoOf(line)}${attempt} ${line.stream} ${plain(line.text)}\n`;
}

/** What is kept of the lines: the newest, at most so many of them and so many characters. */
export function keptFrom(lines: LogEntry[], most: number, size: number): number {
  let total = 0;
  for (let index = lines.length - 1; index >= 0; index--) {
    total += (lines[index]?.text.length ?? 0) + 60;
    if (lines.length - index > most || total > size) return index + 1;
  }
  return 0;
}
