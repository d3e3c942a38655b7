// Paints the grain on a canvas. Colours come from the tokens, so a change of theme paints anew.
import { placeOf, shadeOf, type GrainData, type Shade, type Squares } from "./grain";

const TOKENS: Record<Shade, string> = {
  0: "--g0",
  1: "--g1",
  2: "--g2",
  3: "--g3",
  failed: "--failed-fill",
  running: "--running-fill",
  open: "--idle-tint",
  off: "--idle-fill",
};

export function paintGrain(
  canvas: HTMLCanvasElement,
  grain: GrainData,
  squares: Squares,
  limits: [number, number, number],
  marked: number | null,
): void {
  const ratio = devicePixelRatio || 1;
  const width = squares.columns * squares.pitch;
  const height = squares.rows * squares.pitch;
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colour = (token: string) => style.getPropertyValue(token).trim();
  const byShade = new Map<Shade, number[]>();
  for (let index = 0; index < grain.count; index += 1) {
    const shade = shadeOf(grain.states[index] ?? "p", grain.took[index] ?? null, limits);
    const list = byShade.get(shade);
    if (list) list.push(index);
    else byShade.set(shade, [index]);
  }
  // One colour after the other: changing the colour for each square would take longest of all.
  for (const [shade, indexes] of byShade) {
    context.fillStyle = colour(TOKENS[shade]);
    fill(context, indexes, squares, squares.size);
  }
  context.fillStyle = colour("--failed-fill");
  const again = grain.retried.filter((index) => index < grain.count);
  fill(context, again, squares, squares.size >= 5 ? squares.size - 2 : squares.size);
  if (marked !== null && marked < grain.count) {
    const { x, y } = placeOf(marked, squares);
    context.strokeStyle = colour("--accent");
    context.lineWidth = 2;
    context.strokeRect(x - 1, y - 1, squares.size + 2, squares.size + 2);
  }
}

function fill(
  context: CanvasRenderingContext2D,
  indexes: readonly number[],
  squares: Squares,
  size: number,
): void {
  const inset = (squares.size - size) / 2;
  context.beginPath();
  for (const index of indexes) {
    const { x, y } = placeOf(index, squares);
    context.rect(x + inset, y + inset, size, size);
  }
  context.fill();
}
