/** `after` for the last `size` items before the offset `end` of a stream that begins at `first`; null for its begin. */
export function behindNewest(first: number, end: number, size: number): number | null {
  const from = Math.max(first, end - size);
  return from > 0 ? from - 1 : null;
}
