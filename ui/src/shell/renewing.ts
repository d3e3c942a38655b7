// A server of another version has other files: a tab that was open before asks for some that are gone.
const KEPT = "holdfast.renewed";
const PAUSE = 30_000;

/** Loads the address again. False: the server does not answer, or it has not helped just now. */
export async function renew(): Promise<boolean> {
  try {
    const answer = await fetch(document.baseURI, { method: "HEAD", cache: "no-store" });
    if (!answer.ok) return false;
  } catch {
    return false;
  }
  if (Date.now() - Number(sessionStorage.getItem(KEPT)) < PAUSE) return false;
  sessionStorage.setItem(KEPT, String(Date.now()));
  location.reload();
  return true;
}
