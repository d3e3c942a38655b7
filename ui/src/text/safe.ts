// Text from workflows is text. Svelte escapes it; what is left are characters that change how others are shown.

/** Directional and other invisible marks, by what they are called in a label. */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

/** Shows control and directional characters by their number, as `\u202e`, so that nobody is misled by them. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** At most `most` characters of a line, and how many were left out. */
export function shortened(text: string, most: number): { text: string; left: number } {
  if (text.length <= most) return { text, left: 0 };
  // Not in the middle of a pair of surrogates.
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return { text: text.slice(0, end), left: text.length - end };
}
