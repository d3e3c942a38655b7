// Where a text ends to be JSON. Browsers say it each in their own words, and some without a place.
const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const PLAIN = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

/** What is wrong with a text that is not JSON, in words. */
export function jsonProblem(text: string): string {
  if (!text.trim()) return "This is needed.";
  const { at, wanted } = firstMistake(text);
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  const place = at >= text.length ? "At its end" : `In line ${line}, column ${column}`;
  // A word without quotes is the most common mistake where one value is asked for.
  const hint = wanted === "a value" && at === 0 ? " Text needs double quotes." : "";
  return `This is not JSON. ${place}, ${wanted} was expected.${hint}`;
}

/** Reads without recursion: brackets may be nested very deeply. */
function firstMistake(text: string): { at: number; wanted: string } {
  let at = 0;
  const open: string[] = [];
  let wanted = "a value";

  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found !== null;
  };
  const takeOne = (mark: string): boolean => {
    const isThere = text[at] === mark;
    if (isThere) at += 1;
    return isThere;
  };
  const next = () => (open.length ? "a comma or a closing bracket" : "the end");

  for (;;) {
    take(SPACE);
    const inside = open.at(-1);
    if (wanted === "a value") {
      if (takeOne("{")) {
        open.push("}");
        take(SPACE);
        wanted = text[at] === "}" ? next() : "a name in double quotes";
      } else if (takeOne("[")) {
        open.push("]");
        take(SPACE);
        wanted = text[at] === "]" ? next() : "a value";
      } else if (take(STRING) || take(PLAIN)) wanted = next();
      else return { at, wanted };
    } else if (wanted === "a name in double quotes") {
      if (!take(STRING)) return { at, wanted };
      wanted = "a colon";
    } else if (wanted === "a colon") {
      if (!takeOne(":")) return { at, wanted };
      wanted = "a value";
    } else if (inside && takeOne(inside)) {
      open.pop();
      wanted = next();
    } else if (inside && takeOne(",")) {
      wanted = inside === "}" ? "a name in double quotes" : "a value";
    } else return { at, wanted };
  }
}
