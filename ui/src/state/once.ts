// Changes that are done once, also if they are sent again because no answer came.
import { Problem } from "../api/client";

/** An id for a message, so that sending it again after a lost answer sends it once. */
export function newMessageId(
  random: (bytes: Uint8Array) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  const bytes = random(new Uint8Array(16));
  return `page-${[...bytes].map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}

/** The id of what a dialog sends: the same if the same is sent again after a lost answer. */
export class MessageId {
  private content = "";
  private id = "";

  of(content: unknown): string {
    const written = JSON.stringify(content);
    if (this.id === "" || written !== this.content) this.id = newMessageId();
    this.content = written;
    return this.id;
  }

  /** The server has refused what was sent, and remembers that. To try again is to send another message. */
  refused(status: number): void {
    if (status >= 400 && status < 500) this.id = "";
  }
}

/** A change that a dialog or a form asks for. What it sends has an `Idempotency-Key`. */
export class Once {
  private id = new MessageId();

  /** `content` is all that the request is made of. Sent again after a lost answer, it has the same key. */
  async ask<T>(content: unknown, send: (once: string) => Promise<T>): Promise<T> {
    try {
      const answer = await send(this.id.of(content));
      this.id = new MessageId();
      return answer;
    } catch (error) {
      if (error instanceof Problem) this.id.refused(error.status);
      throw error;
    }
  }
}
