// Single keys. They are off while something is typed, and can be turned off altogether.
import { untrack } from "svelte";

export interface Key {
  /** As in `event.key`; two keys after each other as `g r`; `shift+D`, `ctrl+k`. */
  keys: string;
  does: string;
  /** Where it is listed in the help. */
  group: string;
  run: (event: KeyboardEvent) => void;
  /** Also while something is typed. */
  always?: boolean;
}

const KEPT = "holdfast.keys";
const PAIR = 1_200;

export function nameOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) return `ctrl+${key}`;
  return event.shiftKey && /^[a-z]$/.test(key) ? `shift+${key}` : key;
}

class Keys {
  areOn = $state(localStorage.getItem(KEPT) !== "off");
  list = $state.raw<Key[]>([]);
  private first = "";
  private firstAt = 0;

  constructor() {
    addEventListener("keydown", (event) => this.press(event));
  }

  turn(areOn: boolean): void {
    this.areOn = areOn;
    localStorage.setItem(KEPT, areOn ? "on" : "off");
  }

  add(keys: Key[]): () => void {
    untrack(() => (this.list = [...this.list, ...keys]));
    return () => untrack(() => (this.list = this.list.filter((each) => !keys.includes(each))));
  }

  private press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.altKey) return;
    const name = nameOf(event);
    const isTyping = isEditable(event.target);
    const pair = event.timeStamp - this.firstAt < PAIR ? `${this.first} ${name}` : name;
    // The last that was added comes first: a page may have a key of its own.
    const found =
      this.list.findLast((each) => each.keys === pair) ?? this.list.findLast((each) => each.keys === name);
    this.first = isTyping ? "" : name;
    this.firstAt = event.timeStamp;
    if (!found || ((isTyping || !this.areOn) && !found.always)) return;
    // A dialog asks something: keys of the page behind it would change what it asks about.
    if (!found.always && document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.first = "";
    found.run(event);
  }
}

function isEditable(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  if (!element?.matches) return false;
  return element.matches("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
}

export const keys = new Keys();

/** Keys of a component, for as long as it is there. */
export function useKeys(list: () => Key[]): void {
  $effect(() => keys.add(list()));
}
