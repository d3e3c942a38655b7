// How many ran at once, as an area on the axis.
import type { Axis } from "./scale";

export interface Busy {
  begin: string | null;
  end: string | null;
  /** Seconds. */
  bin: number;
  running: readonly number[];
  most: number;
}

/** A path above the line y = 0; its height is that of the most at once. */
export function areaOf(
  busy: Busy,
  axis: Axis,
  height: number,
): { path: string; from: number; to: number } | null {
  if (busy.begin === null || busy.end === null || busy.most === 0) return null;
  const begin = Date.parse(busy.begin);
  const from = axis.at(begin);
  const to = Math.max(from + 1, axis.at(Date.parse(busy.end)));
  const step = busy.bin * 1000;
  let path = `M${from.toFixed(1)} 0`;
  let last = from;
  busy.running.forEach((each, index) => {
    const left = axis.at(begin + index * step);
    const right = Math.max(left, axis.at(begin + (index + 1) * step));
    const y = (-(each / busy.most) * height).toFixed(1);
    path += `L${left.toFixed(1)} ${y}L${right.toFixed(1)} ${y}`;
    last = right;
  });
  return { path: `${path}L${Math.max(last, to).toFixed(1)} 0Z`, from, to: Math.max(last, to) };
}
