import { describe, expect, it } from "vitest";
import { plain, spansOf, withHits } from "./ansi";

const E = "\u001b";

describe("spansOf", () => {
  it("keeps the sixteen colours, bold and dim", () => {
    expect(spansOf(`a ${E}[31;1mred${E}[22m thin${E}[0m ${E}[2mdim${E}[m${E}[92mlime`)).toEqual([
      { text: "a ", classes: "" },
      { text: "red", classes: "a-red a-bold" },
      { text: " thin", classes: "a-red" },
      { text: " ", classes: "" },
      { text: "dim", classes: "a-dim" },
      { text: "lime", classes: "a-green" },
    ]);
  });

  it("skips the numbers of colours that it does not show", () => {
    expect(spansOf(`${E}[38;5;31mx${E}[38;2;31;32;33my${E}[48;5;1;32mz`)).toEqual([
      { text: "x", classes: "" },
      { text: "y", classes: "" },
      { text: "z", classes: "a-green" },
    ]);
  });

  it.each([
    [`${E}[2J${E}[1;1Hx`, "x"],
    [`${E}]0;title\u0007x`, "x"],
    [`${E}]8;;https://evil.example${E}\\link${E}]8;;${E}\\`, "link"],
    [`${E}Pdevice${E}\\x`, "x"],
    [`${E}(Bx${E}7y`, "xy"],
    [`x${E}[3`, "x"],
    [`x${E}`, "x"],
    [`x${E}]0;never ends`, "x"],
    ["<b>x</b>", "<b>x</b>"],
  ])("drops other escapes of %j", (text, rest) => {
    expect(plain(text)).toBe(rest);
    expect(
      spansOf(text)
        .map((each) => each.text)
        .join(""),
    ).toBe(rest);
  });

  it("reads a megabyte of escapes in little time", () => {
    const begin = performance.now();
    spansOf(`${E}[31mx`.repeat(150_000));
    spansOf(E.repeat(100_000) + "[");
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});

describe("withHits", () => {
  it("marks what is found, also across colours", () => {
    const spans = spansOf(`no ans${E}[31mwer, no Answer`);
    expect(withHits(spans, "answer")).toEqual([
      { text: "no ", classes: "" },
      { text: "ans", classes: "", isHit: true },
      { text: "wer", classes: "a-red", isHit: true },
      { text: ", no ", classes: "a-red" },
      { text: "Answer", classes: "a-red", isHit: true },
    ]);
  });

  it("marks hits that stand side by side, and none without a text", () => {
    expect(withHits([{ text: "aaaa", classes: "" }], "aa").filter((each) => each.isHit)).toHaveLength(2);
    expect(withHits([{ text: "aa", classes: "" }], "")).toEqual([{ text: "aa", classes: "" }]);
    expect(withHits([{ text: "aa", classes: "" }], "b")).toEqual([{ text: "aa", classes: "" }]);
  });
});
