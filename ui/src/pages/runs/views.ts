// Views: names for filters that are often wanted. Some are ours; more are kept in this browser.
export interface View {
  name: string;
  /** The query of the URL. */
  query: Record<string, string>;
  isOwn?: boolean;
}

export const VIEWS: View[] = [
  { name: "Needs a person", query: { status: "failed,parked" } },
  { name: "Under way > 1 h", query: { status: "pending,running,paused,parked", began: "..1h" } },
  { name: "Failed today", query: { status: "failed", ended: "today" } },
];
const MOST = 20;

/** What was kept, as far as it can be read. */
export function readViews(text: string | null): View[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  const isView = (each: unknown): each is View =>
    typeof (each as View)?.name === "string" &&
    typeof (each as View).query === "object" &&
    (each as View).query !== null &&
    Object.values((each as View).query).every((value) => typeof value === "string");
  return kept.filter(isView).map(({ name, query }) => ({ name, query, isOwn: true }));
}

/** The views after another was saved: one of the same name is replaced. */
export function withView(views: View[], name: string, query: Record<string, string>): View[] {
  const others = views.filter((each) => each.name !== name);
  return [...others, { name, query, isOwn: true }].slice(-MOST);
}
