// What a page is about: the second part of its path, such as the id of a run.

const PAGES_OF_THEIR_OWN = ["runs/compare"];

/**
 * Reads the name from the parts of the path. A page stays until the next one is loaded, and keeps its name
 * until then: it asks the server nothing about names of another page.
 */
export function nameReader(page: string): (parts: readonly string[]) => string {
  let kept = "";
  return ([first, name]) => {
    if (first === page && name && !PAGES_OF_THEIR_OWN.includes(`${first}/${name}`)) kept = name;
    return kept;
  };
}
