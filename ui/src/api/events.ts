// Server-sent events, read with fetch: it can send headers, and tells the status of a refusal.

export interface ServerEvent {
  id: string | null;
  event: string;
  data: string;
}

/** Cuts a stream of text into events. A line may come in pieces. */
export class EventReader {
  private rest = "";
  private id: string | null = null;
  private event = "";
  private data: string[] = [];

  constructor(
    private readonly tell: (event: ServerEvent) => void,
    private readonly hearId: (id: string) => void = () => {},
  ) {}

  feed(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.take(line);
  }

  private take(line: string): void {
    if (line === "") {
      if (this.id !== null) this.hearId(this.id);
      if (this.data.length)
        this.tell({ id: this.id, event: this.event || "message", data: this.data.join("\n") });
      this.id = null;
      this.event = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") this.id = value;
    else if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
  }
}
