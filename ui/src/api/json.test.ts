import { expect, test } from "vitest";
import { isExact, parseJson } from "./json";

const HUGE = "1" + "0".repeat(40);

test("whole numbers of any size are read and written digit by digit", () => {
  const text = `{"id":9007199254740993,"list":[-18446744073709551615,${HUGE}],"small":12}`;

  const value = parseJson(text) as Record<string, unknown>;

  expect(isExact).toBe(true);
  expect(value).toEqual({
    id: 9_007_199_254_740_993n,
    list: [-18_446_744_073_709_551_615n, BigInt(HUGE)],
    small: 12,
  });
  expect(JSON.stringify(value)).toBe(text);
});

test("other numbers stay numbers, and digits in texts stay texts", () => {
  expect(parseJson('[1.5, 9007199254740991, "9007199254740993", 1e300, 0.1234567890123456]')).toEqual([
    1.5,
    9007199254740991,
    "9007199254740993",
    1e300,
    0.1234567890123456,
  ]);
});

test("what is no JSON is refused", () => {
  expect(() => parseJson("{12345678901234567")).toThrow(SyntaxError);
  expect(() => parseJson("x")).toThrow(SyntaxError);
});
