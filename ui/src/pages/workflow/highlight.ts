// Colours for source: a small tokenizer for Python, YAML and JSON. It gives text with the kind of each piece, never
// markup. What it does not know stays plain; a piece may have the wrong colour, but no character is ever lost.

/** `k` keyword or key, `s` string, `d` number or constant, `x` comment, "" everything else. */
export type Kind = "" | "k" | "s" | "d" | "x";
export interface Piece {
  text: string;
  kind: Kind;
}
export type Language = "python" | "yaml" | "json" | "text";

/** Longer lines stay plain: nobody reads them, and patterns on them cost time. */
const LONGEST_LINE = 2_000;

export function languageOf(kind: string, text: string): Language {
  if (kind === "code" || kind === "task") return "python";
  return /^\s*[{[]/.test(text) ? "json" : "yaml";
}

/** The lines of a text, each in pieces. Strings and block texts may go on over lines. */
export function highlight(text: string, language: Language): Piece[][] {
  const lines = text.split(/\r\n|\n|\r/);
  const state: State = { quote: "", indent: -1 };
  return lines.map((line) => {
    if (line.length > LONGEST_LINE) return [{ text: line, kind: "" }];
    switch (language) {
      case "python":
        return pythonLine(line, state);
      case "yaml":
        return yamlLine(line, state);
      case "json":
        return pieces(line, JSON_PATTERN, jsonKind);
      default:
        return [{ text: line, kind: "" }];
    }
  });
}

interface State {
  /** The quotes that end the string that goes on in this line. */
  quote: string;
  /** The indent of the key whose block text goes on; -1 for none. */
  indent: number;
}

/** Cuts a line with a pattern that has one group for each kind; what is between the matches is plain. */
function pieces(
  line: string,
  pattern: RegExp,
  kindOf: (match: RegExpExecArray, line: string) => Kind,
): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of line.matchAll(pattern)) {
    add(found, line.slice(end, match.index), "");
    add(found, match[0], kindOf(match, line));
    end = match.index + match[0].length;
  }
  add(found, line.slice(end), "");
  return found;
}

function add(found: Piece[], text: string, kind: Kind): void {
  if (!text) return;
  const last = found.at(-1);
  if (last?.kind === kind) last.text += text;
  else found.push({ text, kind });
}

const JSON_PATTERN = /"(?:[^"\\]|\\.)*"?|-?\b\d[\d.eE+-]*\b|\b(?:true|false|null)\b/g;

function jsonKind(match: RegExpExecArray, line: string): Kind {
  if (!match[0].startsWith('"')) return "d";
  return /^\s*:/.test(line.slice(match.index + match[0].length)) ? "k" : "s";
}

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break case class continue def del elif else except finally for " +
    "from global if import in is lambda match nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
const CONSTANTS = new Set(["False", "None", "True"]);
const PYTHON_PATTERN =
  /#.*|(?:\b[rRbBuUfF]{1,2})?(?:"""|'''|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|@[\w.]+|\b\d[\w.]*\b|\b[A-Za-z_]\w*\b/g;

function pythonLine(line: string, state: State): Piece[] {
  const found: Piece[] = [];
  let rest = line;
  while (rest) {
    if (state.quote) {
      const end = rest.indexOf(state.quote);
      const until = end < 0 ? rest.length : end + state.quote.length;
      add(found, rest.slice(0, until), "s");
      rest = rest.slice(until);
      if (end >= 0) state.quote = "";
      continue;
    }
    rest = pythonRest(rest, found, state);
  }
  return found;
}

/** Up to a string of several lines, which the caller goes on with. */
function pythonRest(text: string, found: Piece[], state: State): string {
  let end = 0;
  for (const match of text.matchAll(PYTHON_PATTERN)) {
    add(found, text.slice(end, match.index), "");
    end = match.index + match[0].length;
    add(found, match[0], pythonKind(match[0]));
    if (/("""|''')$/.test(match[0]) && !match[0].startsWith("#")) {
      state.quote = match[0].slice(-3);
      return text.slice(end);
    }
  }
  add(found, text.slice(end), "");
  return "";
}

function pythonKind(text: string): Kind {
  if (text.startsWith("#")) return "x";
  if (/["']/.test(text)) return "s";
  if (text.startsWith("@")) return "k";
  if (/^\d/.test(text) || CONSTANTS.has(text)) return "d";
  return KEYWORDS.has(text) ? "k" : "";
}

const YAML_KEY = /^(\s*(?:- +)*)((?:[^\s#:"'{[\]},][^:#{[]*?|"[^"]*"|'[^']*'))(\s*:)(?=\s|$)/;
const YAML_PATTERN =
  /(?<=^|\s)#.*|"(?:[^"\\]|\\.)*"?|(?<=^|[\s,[{:])'[^']*'?|(?<=[{,]\s*)[\w.-]+(?=\s*:)|(?<=^|[\s,[{:])(?:-?\d[\d.eE+_-]*|true|false|null|yes|no|~)(?=$|[\s,\]}])/g;

function yamlLine(line: string, state: State): Piece[] {
  const indent = line.length - line.trimStart().length;
  if (state.indent >= 0) {
    if (!line.trim() || indent > state.indent) return line ? [{ text: line, kind: "s" }] : [];
    state.indent = -1;
  }
  const found: Piece[] = [];
  const key = YAML_KEY.exec(line);
  if (key) {
    add(found, key[1] ?? "", "");
    add(found, key[2] ?? "", "k");
    add(found, key[3] ?? "", "");
  }
  const rest = line.slice(key?.[0].length ?? 0);
  if (/^\s*[|>][+-]?\d*\s*(#.*)?$/.test(rest)) state.indent = indent;
  for (const piece of pieces(rest, YAML_PATTERN, yamlKind)) add(found, piece.text, piece.kind);
  return found;
}

function yamlKind(match: RegExpExecArray): Kind {
  const text = match[0];
  if (text.startsWith("#")) return "x";
  if (/^["']/.test(text)) return "s";
  return /^(-?\d|true$|false$|null$|yes$|no$|~$)/.test(text) ? "d" : "k";
}
