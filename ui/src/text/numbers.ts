/** `1,731`; `10,000+` if it was counted so far only. */
export function count(value: number | null | undefined, isExact = true): string {
  if (value === null || value === undefined) return "–";
  return value.toLocaleString("en") + (isExact ? "" : "+");
}

/** `1 run`, `36 runs`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `0.45 %`, `12 %`. */
export function percent(part: number, whole: number): string {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  const digits = share === 0 || share >= 10 ? 0 : share >= 1 ? 1 : 2;
  return `${share.toFixed(digits)}\u00a0%`;
}

/** `214 kB`, `18.2 GB`. */
export function bytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let index = 0;
  while (size >= 1000 && index < units.length - 1) {
    size /= 1000;
    index += 1;
  }
  return `${index && size < 100 ? size.toFixed(1) : Math.round(size)}\u00a0${units[index]}`;
}
