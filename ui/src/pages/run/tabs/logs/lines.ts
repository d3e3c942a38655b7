// Which lines of a log are shown, where a text is found in them, and what is downloaded.
import type { LogEntry } from "../../../../api/schema";
import { plain } from "../../../../parts/ansi";

export const LEVELS = ["", "INFO", "WARNING", "ERROR"] as const;
export type Level = (typeof LEVELS)[number];

export const TITLES: Record<Level, string> = {
  "": "all levels",
  INFO: "INFO up",
  WARNING: "WARNING up",
  ERROR: "ERROR",
};

export const SOURCES = ["stdout", "stderr", "logging", "holdfast"] as const;
export type Source = (typeof SOURCES)[number];

const WEIGHTS: Record<string, number> = {
  NOTSET: 0,
  TRACE: 5,
  DEBUG: 10,
  INFO: 20,
  stdout: 20,
  holdfast: 20,
  WARNING: 30,
  stderr: 30,
  ERROR: 40,
  CRITICAL: 50,
};
/** Levels that only their author knows are worth a look. */
const UNKNOWN = 30;

function weightOf(stream: string): number {
  return WEIGHTS[stream] ?? WEIGHTS[stream.toUpperCase()] ?? UNKNOWN;
}

export function sourceOf(stream: string): Source {
  return stream === "stdout" || stream === "stderr" || stream === "holdfast" ? stream : "logging";
}

export function readLevel(text: string): Level {
  return LEVELS.find((each) => each === text) ?? "";
}

export function readSource(text: string): Source | "" {
  return SOURCES.find((each) => each === text) ?? "";
}

export interface Wanted {
  level: Level;
  source: Source | "";
  /** Only lines of tasks of this name; "" for all. */
  task: string;
}

export function isShown(line: LogEntry, { level, source, task }: Wanted): boolean {
  return (
    (!task || line.task === task) &&
    (!source || sourceOf(line.stream) === source) &&
    (!level || weightOf(line.stream) >= weightOf(level))
  );
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
