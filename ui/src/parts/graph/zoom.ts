// Where the drawing stands in its window: a scale and an offset, in pixels of the window.

export interface Stand {
  x: number;
  y: number;
  scale: number;
}
export interface Size {
  width: number;
  height: number;
}

export const LEAST = 0.15;
export const MOST = 2;
/** Below this scale the names cannot be read. */
export const READABLE = 0.62;
const MARGIN = 10;

/** All of the drawing, never enlarged, in the middle of the window. */
export function fit(drawing: Size, window: Size): Stand {
  const scale = clamp(
    Math.min(
      (window.width - 2 * MARGIN) / Math.max(1, drawing.width),
      (window.height - 2 * MARGIN) / Math.max(1, drawing.height),
    ),
    LEAST,
    1,
  );
  return {
    scale,
    x: (window.width - drawing.width * scale) / 2,
    y: (window.height - drawing.height * scale) / 2,
  };
}

/**
 * How the drawing is shown first: all of it if its names can be read then; otherwise in a size that can be read,
 * with the place that matters in the middle.
 */
export function begin(drawing: Size, window: Size, centre: { x: number; y: number } | null): Stand {
  const whole = fit(drawing, window);
  if (whole.scale >= READABLE) return whole;
  const { x, y } = centre ?? { x: 0, y: 0 };
  return within(
    { scale: READABLE, x: window.width / 2 - x * READABLE, y: window.height / 2 - y * READABLE },
    drawing,
    window,
  );
}

/** Enlarge or shrink, so that the point under the hand stays where it is. */
export function zoom(stand: Stand, factor: number, at: { x: number; y: number }): Stand {
  const scale = clamp(stand.scale * factor, LEAST, MOST);
  const part = scale / stand.scale;
  return { scale, x: at.x - (at.x - stand.x) * part, y: at.y - (at.y - stand.y) * part };
}

/** The same place, moved only so far that the drawing cannot get lost: some of it stays in the window. */
export function within(stand: Stand, drawing: Size, window: Size): Stand {
  return {
    scale: stand.scale,
    x: hold(stand.x, drawing.width * stand.scale, window.width),
    y: hold(stand.y, drawing.height * stand.scale, window.height),
  };
}

/** Small drawings stay wholly inside; large ones leave no empty border. */
function hold(offset: number, length: number, room: number): number {
  const end = room - length - MARGIN;
  return length + 2 * MARGIN <= room
    ? clamp(offset, MARGIN, Math.max(MARGIN, end))
    : clamp(offset, end, MARGIN);
}

/** Move as little as possible to bring a box into the window. */
export function reveal(stand: Stand, box: Size & { x: number; y: number }, window: Size): Stand {
  return {
    scale: stand.scale,
    x: into(stand.x, box.x * stand.scale, box.width * stand.scale, window.width),
    y: into(stand.y, box.y * stand.scale, box.height * stand.scale, window.height),
  };
}

function into(offset: number, place: number, length: number, room: number): number {
  const first = offset + place;
  if (first < MARGIN) return MARGIN - place;
  if (first + length > room - MARGIN) return room - MARGIN - length - place;
  return offset;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
