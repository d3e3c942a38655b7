// What stands on the keys, for the help.

/** `G` and `R` of `g r`, `Shift-D` of `shift+d`, `Space` of ` `: the keys to press after each other. */
export function namesOfKeys(keys: string): string[] {
  // A space and a plus also stand between keys.
  if (keys === " ") return ["Space"];
  if (keys === "+") return ["+"];
  return keys.split(" ").map((each) => each.split("+").map(capitalized).join("-"));
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
