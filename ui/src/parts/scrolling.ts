// Rows that are wider than the screen.

/** Scroll a row, and nothing around it, until one of its parts can be seen. */
export function showIn(row: HTMLElement, part: HTMLElement | null): void {
  if (!part) return;
  const [around, own] = [row.getBoundingClientRect(), part.getBoundingClientRect()];
  const left = own.left - around.left - MARGIN;
  const right = own.right - around.right + MARGIN;
  if (left < 0) row.scrollLeft += left;
  else if (right > 0) row.scrollLeft += right;
}

/** So much of the next one is seen that one knows there is more. */
const MARGIN = 32;
