// Between what the API takes for a time and what a browser's calendar takes.

/** What the calendar begins with; "" for what is not a time. */
export function pickable(text: string, kind: "date" | "datetime"): string {
  if (kind === "date") return /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? text.trim() : "";
  const at = new Date(text.trim());
  if (Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** What was chosen, as the API takes it: with the zone of the viewer at that time. */
export function picked(value: string, kind: "date" | "datetime"): string {
  if (kind === "date" || !value) return value;
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return "";
  const minutes = -at.getTimezoneOffset();
  if (minutes === 0) return `${withSeconds(value)}Z`;
  const size = Math.abs(minutes);
  const zone = `${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${withSeconds(value)}${minutes < 0 ? "-" : "+"}${zone}`;
}

function withSeconds(value: string): string {
  return value.length === 16 ? `${value}:00` : value;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
