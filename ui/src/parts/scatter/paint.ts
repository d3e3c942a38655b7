// Draws the marks of runs on a canvas. Colours are those of the tokens; shapes tell states apart without them.
import type { Cloud } from "./cloud";
import { tookOf } from "./cloud";
import type { Scale } from "./scales";

export interface Colours {
  success: string;
  failed: string;
  running: string;
  needs: string;
  idle: string;
  surface: string;
  faint: string;
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    success: token("--success-fill"),
    failed: token("--failed-fill"),
    running: token("--running"),
    needs: token("--needs-mark"),
    idle: token("--idle-fill"),
    surface: token("--surface"),
    faint: token("--line"),
  };
}

export interface Plot {
  /** From when to when, in milliseconds: what is outside is not drawn. */
  times: [number, number];
  x: Scale;
  y: Scale;
  now: number;
}

function isInside(at: number | undefined, plot: Plot): boolean {
  const [begin, end] = plot.times;
  return at !== undefined && at * 1000 >= begin && at * 1000 <= end;
}

/** What is broken or unusual is drawn last, over the rest. */
const ORDER = ["success", "cancelled", "pending", "paused", "running", "parked", "failed"];

export function paintCloud(pen: CanvasRenderingContext2D, cloud: Cloud, plot: Plot, colours: Colours): void {
  const groups = new Map<string, number[]>();
  cloud.state.forEach((state, index) => {
    if (!isInside(cloud.at[index], plot)) return;
    const group = groups.get(state);
    if (group) group.push(index);
    else groups.set(state, [index]);
  });
  for (const state of ORDER) {
    pen.beginPath();
    for (const index of groups.get(state) ?? []) {
      const across = plot.x.at((cloud.at[index] ?? 0) * 1000);
      const down = plot.y.at(tookOf(cloud, index, plot.now));
      trace(pen, state, across, down);
    }
    finish(pen, state, colours);
  }
}

/** The same runs without their states: what is there beside the ones that are looked for. */
export function paintFaint(pen: CanvasRenderingContext2D, cloud: Cloud, plot: Plot, colours: Colours): void {
  pen.beginPath();
  cloud.at.forEach((at, index) => {
    if (!isInside(at, plot)) return;
    pen.rect(plot.x.at(at * 1000) - 1, plot.y.at(tookOf(cloud, index, plot.now)) - 1, 2, 2);
  });
  pen.fillStyle = colours.faint;
  pen.fill();
}

function trace(pen: CanvasRenderingContext2D, state: string, x: number, y: number): void {
  if (state === "failed") pen.rect(x - 2.5, y - 2.5, 5, 5);
  else if (state === "parked") {
    pen.moveTo(x, y - 4.5);
    pen.lineTo(x + 4.5, y);
    pen.lineTo(x, y + 4.5);
    pen.lineTo(x - 4.5, y);
    pen.closePath();
  } else if (state === "paused") pen.rect(x - 3, y - 3, 6, 6);
  else {
    const size = state === "success" ? 1.7 : 3;
    pen.moveTo(x + size, y);
    pen.arc(x, y, size, 0, 2 * Math.PI);
  }
}

function finish(pen: CanvasRenderingContext2D, state: string, colours: Colours): void {
  const full: Record<string, string> = {
    success: colours.success,
    failed: colours.failed,
    parked: colours.needs,
  };
  if (full[state]) {
    pen.fillStyle = full[state];
    pen.fill();
    return;
  }
  pen.fillStyle = colours.surface;
  pen.fill();
  pen.strokeStyle = state === "running" ? colours.running : colours.idle;
  pen.lineWidth = 1.5;
  pen.stroke();
}

/** How many runs of a state are in each cell of a grid. `begin` and `end` are in milliseconds. Row -1: under way. */
export interface Grid {
  begin: number;
  end: number;
  columns: number;
  rows: number;
  least: number;
  most: number;
  cells: [number, number, string, number][];
}

/** Density: stronger is more, on a logarithmic scale; failures are never fainter than a half. */
export function paintGrid(pen: CanvasRenderingContext2D, grid: Grid, plot: Plot, colours: Colours): void {
  const top = Math.log(1 + Math.max(1, ...grid.cells.map(([, , , count]) => count)));
  const step = (grid.end - grid.begin) / grid.columns;
  const ratio = Math.log(grid.most / grid.least) / grid.rows;
  const byState = Object.groupBy(grid.cells, ([, , state]) => state);
  for (const state of ORDER) {
    const isFailed = state === "failed";
    pen.fillStyle =
      { success: colours.success, failed: colours.failed, parked: colours.needs }[state] ?? colours.running;
    for (const [column, row, , count] of byState[state] ?? []) {
      const from = grid.begin + column * step;
      const left = plot.x.at(from);
      const right = plot.x.at(from + step);
      const low = row < 0 ? (plot.now - from - step) / 1000 : grid.least * Math.exp(row * ratio);
      const bottom = plot.y.at(low);
      const upper = row < 0 ? bottom - 3 : plot.y.at(grid.least * Math.exp((row + 1) * ratio));
      const share = Math.log(1 + count) / top;
      pen.globalAlpha = isFailed ? 0.5 + share / 2 : 0.15 + 0.85 * share;
      pen.fillRect(left, upper, Math.max(1.5, right - left - 0.5), Math.max(1.5, bottom - upper - 0.5));
    }
  }
  pen.globalAlpha = 1;
}
