// What can be done on the page that is shown. Pages put their actions here, and the palette offers them.
import { untrack } from "svelte";

export interface Action {
  /** Unique on its page: `retry`. */
  id: string;
  /** What it does, beginning with a verb: `Retry order-7…`. Three dots if it asks first. */
  title: string;
  /** A few words beside it. */
  note?: string;
  /** The name of an icon of the sprite, without `i-`. */
  icon?: string;
  /** The state whose mark is shown instead of an icon. */
  mark?: string;
  /** Keys that do the same, as they are shown: ["R"]. */
  keys?: string[];
  run: () => void;
}

class Actions {
  list = $state.raw<Action[]>([]);

  add(actions: Action[]): () => void {
    untrack(() => (this.list = [...this.list, ...actions]));
    return () => untrack(() => (this.list = this.list.filter((each) => !actions.includes(each))));
  }
}

export const actions = new Actions();

/** Actions of a component, for as long as it is there. Call it while the component is set up. */
export function useActions(list: () => Action[]): void {
  $effect(() => actions.add(list()));
}
