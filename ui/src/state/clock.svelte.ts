// "in 38 s" counts in the browser, from the server's time and the offset between the two clocks.
let offset = 0;

/** The server has said what time it is. A single answer that was slow must not move the clock by much. */
export function hearServerTime(at: number, sentAt: number, heardAt: number): void {
  const lag = (heardAt - sentAt) / 2;
  offset = at + lag - heardAt;
}

class Clock {
  /** The server's time in milliseconds, moved on once a second, and not at all while everything is held. */
  now = $state(Date.now());
  isHeld = $state(false);

  constructor() {
    setInterval(() => {
      if (!this.isHeld && !document.hidden) this.now = Date.now() + offset;
    }, 1000);
  }

  /** The time of this moment, not of the last tick. */
  exact(): number {
    return Date.now() + offset;
  }
}

export const clock = new Clock();
