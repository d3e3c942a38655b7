// Which runs are chosen for what is done to many, and which row the keys are at.
import { SvelteSet } from "svelte/reactivity";
import { keysBetween, type Row } from "./rows";

export class Chosen {
  readonly keys = new SvelteSet<string>();
  /** All that match the filters, also those that are not loaded. */
  isAll = $state(false);
  /** The row that keys act on. */
  at = $state("");
  private last = "";

  get count(): number {
    return this.keys.size;
  }

  get isNone(): boolean {
    return !this.isAll && this.keys.size === 0;
  }

  has(key: string): boolean {
    return this.isAll || this.keys.has(key);
  }

  toggle(key: string): void {
    this.isAll = false;
    if (!this.keys.delete(key)) this.keys.add(key);
    this.last = key;
  }

  /** All rows from the one that was chosen last up to this one. */
  upTo(rows: Row[], key: string): void {
    this.isAll = false;
    for (const each of keysBetween(rows, this.last || key, key)) this.keys.add(each);
    this.last = key;
  }

  all(): void {
    this.keys.clear();
    this.isAll = true;
  }

  none(): void {
    this.keys.clear();
    this.isAll = false;
    this.last = "";
  }

  /** The row `by` further on, or the first. The key of it; "" if there is none. */
  move(rows: Row[], by: number): string {
    const index = rows.findIndex((each) => each.run.key === this.at);
    const next = index < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, index + by));
    this.at = rows[next]?.run.key ?? "";
    return this.at;
  }
}
