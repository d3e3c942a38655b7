/**
 * Where to go after a login: `next` if it is an address of ours, else home. An address elsewhere would let a
 * link to our login lead to somebody else's page.
 */
export function placeAfter(next: string, origin: string, home: string): string {
  if (!next.startsWith("/")) return home;
  let there: URL;
  try {
    there = new URL(next, origin);
  } catch {
    return home;
  }
  if (there.origin !== origin || !there.pathname.startsWith(home)) return home;
  const path = there.pathname.slice(home.length);
  return path === "login" || path.startsWith("login/") ? home : there.pathname + there.search + there.hash;
}

/** The address at the identity provider that comes back to `place`. */
export function providerAddress(url: string, place: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}next=${encodeURIComponent(place)}`;
}

const REFUSED = /(?:^|;\s*)((?:__Host-)?holdfast_refused)=([^;]*)/;

/** Why a login at the identity provider was refused, as its cookie says, and the cookie's name. */
export function readRefusal(cookies: string): { name: string; reason: string } | null {
  const found = REFUSED.exec(cookies);
  if (!found) return null;
  try {
    return { name: found[1] ?? "", reason: decodeURIComponent(found[2] ?? "") };
  } catch {
    return null;
  }
}
