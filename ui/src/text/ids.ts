/** A new id. `crypto.randomUUID` is there over HTTPS only, and a server in a network of one's own may have none. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");
}
