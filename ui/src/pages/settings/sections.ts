// Which sections the settings have, and who may see them.
export interface Section {
  part: string;
  name: string;
  role: "viewer" | "operator" | "admin";
}

export const SECTIONS: Section[] = [
  { part: "", name: "You and this browser", role: "viewer" },
  { part: "keys", name: "Keys", role: "admin" },
  { part: "sessions", name: "Sessions", role: "admin" },
  { part: "namespaces", name: "Namespaces", role: "viewer" },
  { part: "alerts", name: "Alerts", role: "viewer" },
  { part: "retention", name: "Retention", role: "admin" },
  { part: "audit", name: "Audit log", role: "admin" },
];

export function sectionOf(part: string | undefined): Section | null {
  return SECTIONS.find((each) => each.part === (part ?? "")) ?? null;
}
