// Whether what was asked for is still wanted when the answer comes.

/**
 * Of several things that were asked for, the last one is wanted, while the viewer is at the place where it was
 * asked for. Call `drop` when the component is gone: a page stays mounted for a while after its address.
 */
export class Wanted {
  private newest = 0;

  constructor(private readonly place: () => string) {}

  /** What is given says, once the answer is there, whether to act on it. */
  ask(): () => boolean {
    const mine = ++this.newest;
    const place = this.place();
    return () => mine === this.newest && place === this.place();
  }

  drop(): void {
    this.newest += 1;
  }
}
