import { describe, expect, it } from "vitest";
import { highlight, languageOf, type Language } from "./highlight";

/** Each piece as `kind:text`, plain ones left out. */
function marked(text: string, language: Language): string[][] {
  return highlight(text, language).map((line) =>
    line.filter((piece) => piece.kind).map((piece) => `${piece.kind}:${piece.text}`),
  );
}

const joined = (text: string, language: Language) =>
  highlight(text, language)
    .map((line) => line.map((piece) => piece.text).join(""))
    .join("\n");

describe("Python", () => {
  it("tells keywords, names, numbers, strings and comments apart", () => {
    expect(marked('async def fulfil(n: int = 10) -> str:  # why\n    return f"{n} boxes"', "python")).toEqual(
      [
        ["k:async", "k:def", "d:10", "x:# why"],
        ["k:return", 's:f"{n} boxes"'],
      ],
    );
  });

  it("takes a decorator for a keyword, and a hash in a string for text", () => {
    expect(marked("@task(queue='#1')", "python")).toEqual([["k:@task", "s:'#1'"]]);
  });

  it("goes on with a string of several lines", () => {
    expect(marked('x = """one\ntwo # not a comment\nthree""" + 1', "python")).toEqual([
      ['s:"""one'],
      ["s:two # not a comment"],
      ['s:three"""', "d:1"],
    ]);
  });

  it("ends a string of several lines that begins and ends in one", () => {
    expect(marked('"""Doc."""\nreturn 1', "python")).toEqual([['s:"""Doc."""'], ["k:return", "d:1"]]);
  });
});

describe("YAML", () => {
  it("finds keys, values and comments", () => {
    expect(marked("retries: {max_attempts: 3}  # thrice\nname: 'a # b'\ncommand: echo #no", "yaml")).toEqual([
      ["k:retries", "k:max_attempts", "d:3", "x:# thrice"],
      ["k:name", "s:'a # b'"],
      ["k:command", "x:#no"],
    ]);
  });

  it("takes a block text for a string, up to where it ends", () => {
    expect(marked("script: |\n  a: 1\n\n  # b\nnext: true", "yaml")).toEqual([
      ["k:script"],
      ["s:  a: 1"],
      [],
      ["s:  # b"],
      ["k:next", "d:true"],
    ]);
  });

  it("finds the keys of items of lists", () => {
    expect(marked("- from: a\n  to: b", "yaml")).toEqual([["k:from"], ["k:to"]]);
  });

  it("does not take a word with a digit or an address for a key or a number", () => {
    expect(marked("url: http://x:80/a1", "yaml")).toEqual([["k:url"]]);
  });
});

it("tells keys of JSON from its strings", () => {
  expect(marked('{"a": "b", "c": [1, -2.5e3, true]}', "json")).toEqual([
    ['k:"a"', 's:"b"', 'k:"c"', "d:1", "d:-2.5e3", "d:true"],
  ]);
});

it("never loses or adds a character", () => {
  const texts = [
    'x = """a\n\'\'\' b\n"""\n\ty = "unended\n# ünï \\" 1e9 @a.b',
    "a: |\n  b\n\n c: d\n- - x: 'y\n? [1, {k: v}]\n\u202e",
    '{"a\\"": 1,\n "unended',
    "",
    "\n\n",
  ];
  for (const text of texts)
    for (const language of ["python", "yaml", "json", "text"] as const)
      expect(joined(text, language)).toBe(text);
});

it("does not look at very long lines, and is quick", () => {
  const long = `x = "${"a".repeat(1_000_000)}"`;
  const begun = performance.now();
  expect(highlight(long, "python")).toEqual([[{ text: long, kind: "" }]]);
  highlight("'".repeat(1_900) + "\n" + "a: ".repeat(600) + "\n" + "- ".repeat(900), "yaml");
  highlight(`${"\\".repeat(1_900)}"\n${'"\\'.repeat(900)}`, "python");
  expect(performance.now() - begun).toBeLessThan(500);
});

it("guesses the language", () => {
  expect(languageOf("code", "")).toBe("python");
  expect(languageOf("flow", ' {"name": 1}')).toBe("json");
  expect(languageOf("dag", "name: a")).toBe("yaml");
});
