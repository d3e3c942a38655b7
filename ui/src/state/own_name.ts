// What a page is about: the second part of its path, such as the id of a run.

/**
 * Reads the name from the parts of the path. A page stays until the next one is loaded, and keeps its name
 * until then: it asks the server nothing about names of another page.
 */
export function nameReader(page: string): (parts: readonly string[]) => string {
  let kept = "";
  return ([first, name]) => {
    if (first === page && name) kept = name;
    return kept;
  };
}
