// The URL is the state: the path names the page, the query its filters, tab and selection.
import { base, context } from "../api/client";

/** The parameter that says which namespace a page shows, if it is not the viewer's own. */
export const NAMESPACE = "namespace";

export interface Place {
  /** Decoded parts of the path below the address of the pages: ["runs", "order-7"]. */
  parts: string[];
  query: URLSearchParams;
}

export function readPlace(pathname: string, search: string, below: string): Place {
  const path = pathname.startsWith(below) ? pathname.slice(below.length) : pathname.replace(/^\//, "");
  return { parts: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(search) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a page: `href("runs", id)`. Parts may have any characters. */
export function href(...parts: string[]): string {
  return hrefWith(parts, {});
}

/** With the namespace that was chosen: whoever is sent the address sees the same. */
export function hrefWith(parts: string[], query: Record<string, string | null | undefined>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) text.set(name, value);
  if (context.namespace) text.set(NAMESPACE, context.namespace);
  const tail = text.toString();
  return base + parts.map(encodeURIComponent).join("/") + (tail ? `?${tail}` : "");
}

class Router {
  place = $state.raw(readPlace(location.pathname, location.search, base));
  /** After Back or Forward: how far the page was scrolled. One that loads its content scrolls when it is there. */
  scrolledTo = 0;
  private readonly scrolls = new Map<string, number>();

  constructor() {
    history.scrollRestoration = "manual";
    addEventListener("popstate", () => {
      this.read();
      this.scrolledTo = this.scrolls.get(location.href) ?? 0;
      requestAnimationFrame(() => scrollTo(0, this.scrolledTo));
    });
    addEventListener("click", (event) => this.follow(event));
  }

  get page(): string {
    return this.place.parts[0] ?? "";
  }

  get path(): string {
    return this.place.parts.join("/");
  }

  query(name: string): string {
    return this.place.query.get(name) ?? "";
  }

  go(address: string, options: { replace?: boolean } = {}): void {
    this.scrolls.set(location.href, scrollY);
    this.scrolledTo = 0;
    const isSame = new URL(address, location.href).href === location.href;
    history[options.replace || isSame ? "replaceState" : "pushState"](null, "", address);
    this.read();
    if (!options.replace) scrollTo(0, 0);
  }

  /** Change some parameters of the query and stay on the page. Empty ones are left out. */
  set(changes: Record<string, string | null>, options: { replace?: boolean } = { replace: true }): void {
    const query = new URLSearchParams(this.place.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    const tail = query.toString();
    const address = location.pathname + (tail ? `?${tail}` : "");
    this.scrolls.set(location.href, scrollY);
    history[options.replace === false ? "pushState" : "replaceState"](null, "", address);
    this.read();
  }

  private read(): void {
    this.place = readPlace(location.pathname, location.search, base);
  }

  /** Links to our own pages are followed without loading the page again. */
  private follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.dataset.elsewhere !== undefined) return;
    event.preventDefault();
    this.go(link.href);
  }
}

export const router = new Router();
