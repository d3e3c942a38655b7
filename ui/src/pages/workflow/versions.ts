// Which version is shown, and with which one it is compared: the one before it, unless the URL says another.
import type { WorkflowVersionInfo } from "../../api/schema";

export interface Shown {
  version: WorkflowVersionInfo | null;
  before: WorkflowVersionInfo | null;
}

/** `versions` has the newest first. An unknown version is shown as none. */
export function shownOf(versions: WorkflowVersionInfo[], asked: string, against: string): Shown {
  const at = asked ? versions.findIndex((each) => each.version === asked) : 0;
  const version = versions[at] ?? null;
  if (against)
    return { version, before: versions.find((each) => each.version === against && each !== version) ?? null };
  return { version, before: at < 0 ? null : (versions[at + 1] ?? null) };
}

/** `v8`, `auto-c33454`: a hash that nobody reads to its end. */
export function shortVersion(version: string): string {
  const hash = /^auto-([0-9a-f]{6})[0-9a-f]+$/.exec(version);
  return hash ? `auto-${hash[1]}` : /^\d+$/.test(version) ? `v${version}` : version;
}
