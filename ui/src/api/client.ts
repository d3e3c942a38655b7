// Asks the server, typed by the OpenAPI document: a path, a parameter or a field that the API does not have
// is an error of the compiler.
import { parseJson } from "./json";
import type { paths, ProblemAnswer } from "./schema";

type Method = "get" | "put" | "post" | "delete";
type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends undefined ? never : Operation<P, M> extends never ? never : P;
}[keyof paths];
type Parameters<O, In extends "path" | "query"> = O extends { parameters: infer A }
  ? In extends keyof A
    ? Exclude<A[In], undefined>
    : undefined
  : undefined;
type Body<O> = O extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: { "application/json": infer J } }
    ? J
    : undefined
  : undefined;
type Ok<R> = R extends { 200: infer A }
  ? A
  : R extends { 201: infer A }
    ? A
    : R extends { 202: infer A }
      ? A
      : never;
export type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R }
    ? Ok<R> extends { content: { "application/json": infer J } }
      ? J
      : undefined
    : never;

export interface Asked<P extends keyof paths, M extends Method> {
  path?: Parameters<Operation<P, M>, "path">;
  query?: Parameters<Operation<P, M>, "query">;
  body?: Body<Operation<P, M>>;
  /** Conditions on what is there. */
  header?: { "If-Match"?: string; "If-None-Match"?: string };
  signal?: AbortSignal;
  /** The `Idempotency-Key`: requests with the same one are done once. See `Once`. */
  once?: string;
  /** A browser asks a server six things at once: what a page is opened for goes first. */
  isLater?: boolean;
}

/** What the server answered if it refused, or why there was no answer. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly answer: Partial<ProblemAnswer> = {},
    /** In how many seconds the server wants to be asked again; 0 if it does not say. */
    readonly retryAfter = 0,
  ) {
    super(detail);
  }
  get field(): string | null {
    return typeof this.answer.field === "string" ? this.answer.field : null;
  }
  get hint(): string | null {
    return typeof this.answer.hint === "string" ? this.answer.hint : null;
  }
  /** What can be looked up in the documentation of the API; "" if no server has said it. */
  get shownCode(): string {
    return this.status === 0 ? "" : this.code;
  }

  /** The server could not be reached, or could not answer now. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 503;
  }
}

/** What goes with each request: the namespace that was chosen, and the token of the session. */
export const context = { namespace: "", csrf: "" };

/** Headers are bytes. A name is sent as those of UTF-8. */
export function namespaceHeader(): Record<string, string> {
  if (!context.namespace) return {};
  return { "Holdfast-Namespace": String.fromCharCode(...new TextEncoder().encode(context.namespace)) };
}

/** What the server says to a program, as a person needs it said. */
const WORDS: Record<string, string> = {
  csrf_token_wrong:
    "Somebody has logged in anew in this browser since the page was opened. Nothing was done. Try it again.",
};

const listeners = new Set<(status: number) => void>();

/** Be told the status of each answer: 0 if there was none. */
export function onAnswer(listen: (status: number) => void): () => void {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

/** For requests that are not made here. */
export function tellAnswer(status: number): void {
  listeners.forEach((listen) => listen(status));
}

export const base = new URL(document.baseURI).pathname;

export function addressOf(path: string, parts: object = {}, query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((parts as Record<string, unknown>)[name])),
  );
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") text.append(name, String(each));
    }
  }
  const tail = text.toString();
  return base + filled.slice(1) + (tail ? `?${tail}` : "");
}

async function ask(method: Method, path: string, asked: Asked<any, any>): Promise<unknown> {
  // Nothing is called so. A browser takes them out of an address, and the answer to another question would come.
  const dots = Object.values((asked.path ?? {}) as object).find((each) => each === "." || each === "..");
  if (dots) throw new Problem(404, "not_found", `There is nothing called "${dots}".`);
  const headers: Record<string, string> = {
    Accept: "application/json",
    ...namespaceHeader(),
    ...asked.header,
  };
  if (method !== "get" && context.csrf) headers["Holdfast-CSRF"] = context.csrf;
  if (asked.once) headers["Idempotency-Key"] = asked.once;
  if (asked.body !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  let body: string;
  try {
    answer = await fetch(addressOf(path, asked.path, asked.query), {
      method: method.toUpperCase(),
      headers,
      body: asked.body === undefined ? undefined : JSON.stringify(asked.body),
      signal: asked.signal,
      credentials: "same-origin",
      priority: asked.isLater ? "low" : "auto",
    });
    // A server that is killed in the middle of its answer has not answered.
    body = await answer.text();
  } catch (error) {
    if (asked.signal?.aborted) throw error;
    tellAnswer(0);
    throw new Problem(0, "unreachable", "The server does not answer.");
  }
  tellAnswer(answer.status);
  const isJson = (answer.headers.get("content-type") ?? "").includes("json");
  const value: unknown = isJson ? parseJson(body) : body;
  if (answer.ok) return value;
  const told = (isJson ? value : {}) as Partial<ProblemAnswer>;
  throw new Problem(
    answer.status,
    told.code ?? String(answer.status),
    WORDS[told.code ?? ""] ?? told.detail ?? `The server answered ${answer.status}.`,
    told,
    Number(answer.headers.get("retry-after") ?? 0) || 0,
  );
}

export function get<P extends PathOf<"get">>(
  path: P,
  asked: Asked<P, "get"> = {},
): Promise<Answer<P, "get">> {
  return ask("get", path, asked) as Promise<Answer<P, "get">>;
}
export function post<P extends PathOf<"post">>(
  path: P,
  asked: Asked<P, "post"> = {},
): Promise<Answer<P, "post">> {
  return ask("post", path, asked) as Promise<Answer<P, "post">>;
}
export function put<P extends PathOf<"put">>(
  path: P,
  asked: Asked<P, "put"> = {},
): Promise<Answer<P, "put">> {
  return ask("put", path, asked) as Promise<Answer<P, "put">>;
}
export function del<P extends PathOf<"delete">>(
  path: P,
  asked: Asked<P, "delete"> = {},
): Promise<Answer<P, "delete">> {
  return ask("delete", path, asked) as Promise<Answer<P, "delete">>;
}
