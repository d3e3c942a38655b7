import type { AuditInfo } from "../../api/schema";
import { href, hrefWith } from "../../state/router.svelte";

/** The page of what a row is about; null if there is none. */
export function addressOfTarget(row: Pick<AuditInfo, "action" | "target">): string | null {
  if (!row.target) return null;
  const noun = row.action.split(".")[0];
  switch (noun) {
    case "runs":
      return row.action === "runs.bulk" || row.action === "runs.prune" ? null : href("runs", row.target);
    case "workflows":
      return href("workflows", row.target);
    case "schedules":
      return hrefWith(["schedules"], { name: row.target });
    case "alerts":
      return hrefWith(["settings", "alerts"], { rule: row.target });
    case "keys":
      return hrefWith(["settings", "keys"], { show: "all" });
    default:
      return null;
  }
}

/** What a row says of before and after, as text; "" if it says nothing. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return JSON.stringify(value, null, 2);
}
