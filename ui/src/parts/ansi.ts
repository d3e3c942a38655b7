// Text with ANSI escapes as spans with classes. The sixteen colours, bold and dim are kept; other escapes are
// dropped. It is never markup: a span has text and the names of classes of ours.

export interface Span {
  text: string;
  /** `a-red`, `a-bold`; "" for plain text. */
  classes: string;
  isHit?: boolean;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// CSI sequences, OSC strings, other strings, a sequence that was cut off, and escapes of two characters.
const ESCAPE =
  /\u001b\[([0-9:;<=>?]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[PX^_][^\u001b]*(?:\u001b\\|$)|\u001b\[[0-9:;<=>?]*$|\u001b[ -/]*[0-~]|\u001b/g;

interface Style {
  colour: string;
  isBold: boolean;
  isDim: boolean;
}

export function spansOf(text: string): Span[] {
  if (!text.includes("\u001b")) return text ? [{ text, classes: "" }] : [];
  const spans: Span[] = [];
  const style: Style = { colour: "", isBold: false, isDim: false };
  let from = 0;
  const add = (to: number) => {
    if (to > from) spans.push({ text: text.slice(from, to), classes: classesOf(style) });
  };
  for (const found of text.matchAll(ESCAPE)) {
    add(found.index);
    if (found[2] === "m") change(style, found[1] ?? "");
    from = found.index + found[0].length;
  }
  add(text.length);
  return spans;
}

/** The text without escapes. */
export function plain(text: string): string {
  return text.includes("\u001b") ? text.replace(ESCAPE, "") : text;
}

function change(style: Style, codes: string): void {
  const numbers = codes.split(/[;:]/).map(Number);
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    if (code === 0) Object.assign(style, { colour: "", isBold: false, isDim: false });
    else if (code === 1) style.isBold = true;
    else if (code === 2) style.isDim = true;
    else if (code === 22) style.isBold = style.isDim = false;
    else if (code >= 30 && code <= 37) style.colour = COLOURS[code - 30] ?? "";
    else if (code >= 90 && code <= 97) style.colour = COLOURS[code - 90] ?? "";
    else if (code === 39) style.colour = "";
    // 256 colours and true colours have numbers of their own behind them.
    else if (code === 38 || code === 48 || code === 58) index += numbers[index + 1] === 5 ? 2 : 4;
  }
}

function classesOf(style: Style): string {
  return [style.colour && `a-${style.colour}`, style.isBold && "a-bold", style.isDim && "a-dim"]
    .filter(Boolean)
    .join(" ");
}

/** The same spans, cut where a text is found, also across spans. Case does not matter. */
export function withHits(spans: Span[], wanted: string): Span[] {
  const lower = wanted.toLowerCase();
  if (!lower) return spans;
  const whole = spans.map((each) => each.text.toLowerCase()).join("");
  const marked: Span[] = [];
  let hit = whole.indexOf(lower);
  let begin = 0;
  for (const span of spans) {
    let at = begin;
    const end = begin + span.text.length;
    while (at < end) {
      while (hit >= 0 && hit + lower.length <= at) hit = whole.indexOf(lower, hit + lower.length);
      const isHit = hit >= 0 && hit <= at;
      const next = hit < 0 ? end : Math.min(end, isHit ? hit + lower.length : hit);
      const part: Span = { text: span.text.slice(at - begin, next - begin), classes: span.classes };
      marked.push(isHit ? { ...part, isHit } : part);
      at = next;
    }
    begin = end;
  }
  return marked;
}
