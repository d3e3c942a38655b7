// JSON with whole numbers of any size. A number of JavaScript holds 53 bits, and ids of other systems have 64: shown
// or sent as such a number, the last digits would be wrong. They are BigInt here.

declare global {
  interface JSON {
    rawJSON?: (text: string) => unknown;
  }
  interface BigInt {
    toJSON(): unknown;
  }
}

/** Browsers of 2025 and later read and write the digits of a number as they are. */
export const isExact = typeof JSON.rawJSON === "function";

BigInt.prototype.toJSON = function (this: bigint): unknown {
  return JSON.rawJSON ? JSON.rawJSON(this.toString()) : Number(this);
};

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

const LARGE = /\d{16}/;
const exactly: Reviver = (_key, value, context) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
    ? BigInt(context?.source ?? 0)
    : value;

/** Raises SyntaxError. */
export function parseJson(text: string): unknown {
  // A reviver is called for each value, and few answers have such a number.
  return LARGE.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}
