import type { KeyInfo } from "../../api/schema";

const DAY = 86_400_000;

/** How long a new key is good, in days; 0 is for ever. */
export const LASTS: [number, string][] = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "a year"],
  [0, "for ever"],
];

export function expiryAfter(days: number, now: number): string | null {
  return days > 0 ? new Date(now + days * DAY).toISOString() : null;
}

/** Good keys first, the one that expires next before the others; then the rest, newest first. */
export function inOrder(keys: KeyInfo[]): KeyInfo[] {
  return [...keys].sort((left, right) => {
    const isLeftGood = left.state === "active";
    if (isLeftGood !== (right.state === "active")) return isLeftGood ? -1 : 1;
    if (isLeftGood && left.expires_at !== right.expires_at) {
      if (left.expires_at === null) return 1;
      if (right.expires_at === null) return -1;
      return left.expires_at < right.expires_at ? -1 : 1;
    }
    return left.created_at < right.created_at ? 1 : -1;
  });
}

/** Whether it ends within two weeks, so that somebody should replace it. */
export function endsSoon(key: KeyInfo, now: number): boolean {
  return key.state === "active" && key.expires_at !== null && Date.parse(key.expires_at) - now < 14 * DAY;
}
