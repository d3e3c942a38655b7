/** The position in the journal at which each chapter begins. Chapters follow each other without a gap. */
export function firstSteps(chapters: readonly { steps: number }[]): number[] {
  let first = 0;
  return chapters.map(({ steps }) => (first += steps) - steps);
}
