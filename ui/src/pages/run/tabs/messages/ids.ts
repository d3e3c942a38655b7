/** An id for a message, so that sending it again after a lost answer sends it once. */
export function newMessageId(
  random: (bytes: Uint8Array) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  const bytes = random(new Uint8Array(16));
  return `page-${[...bytes].map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}
