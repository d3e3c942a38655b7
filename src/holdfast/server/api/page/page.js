// Shows the OpenAPI document, and sends what the user asks for. Texts are only ever set as text, never as HTML.
"use strict";

const METHODS = ["get", "put", "post", "delete"];
const LONGEST_ANSWER = 200_000;
const at = (id) => document.getElementById(id);
let api = null;
let csrf = null;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

// --- who is here

async function ask(path, options = {}) {
  const response = await fetch(path, { credentials: "same-origin", ...options });
  const body = response.status === 204 ? null : await response.json();
  return [response.status, body];
}

async function showCaller() {
  const [status, session] = await ask("session");
  const isKnown = status === 200;
  csrf = isKnown ? session.csrf_token : null;
  at("login").hidden = isKnown;
  at("logout").hidden = csrf === null;
  if (isKnown) {
    const { name, role, namespace } = session.caller;
    at("caller").textContent = session.needs_login
      ? `You are ${name}: ${role} in the namespace ${namespace}.`
      : "This server asks for no keys. You may do everything.";
    return;
  }
  at("caller").textContent = status === 401 ? "Log in to try the routes." : session.detail;
  const [, offer] = await ask("login");
  if (offer.oidc) {
    at("oidc").textContent = `Log in with ${offer.oidc.label}`;
    at("oidc").href = `${offer.oidc.url}?next=${encodeURIComponent(location.pathname)}`;
    at("oidc").hidden = false;
  }
}

async function logIn(event) {
  event.preventDefault();
  const [status, answer] = await ask("session", { method: "POST", body: JSON.stringify({ key: at("key").value }) });
  at("key").value = "";
  if (status === 201) await showCaller();
  else at("caller").textContent = answer.detail;
}

async function logOut() {
  const [status, answer] = await ask("session", { method: "DELETE", headers: { "Holdfast-CSRF": csrf } });
  if (status === 200 && answer.logout_url) location.assign(answer.logout_url);
  else await showCaller();
}

// --- schemas

function resolve(schema) {
  let found = schema ?? {};
  for (let depth = 0; found.$ref && depth < 20; depth += 1) {
    found = found.$ref.split("/").slice(1).reduce((inside, name) => inside[name.replaceAll("~1", "/")], api);
  }
  return found;
}

function kindOf(given) {
  const schema = resolve(given);
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return several.map(kindOf).join(" or ");
  if (schema.enum) return schema.enum.join(" or ");
  if (schema.type === "array") return `list of ${kindOf(schema.items)}`;
  return [schema.type, schema.format && `(${schema.format})`].flat().filter(Boolean).join(" ") || "any";
}

function exampleOf(given, depth = 0) {
  const schema = resolve(given);
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return exampleOf(several[0], depth);
  if (schema.enum) return schema.enum[0];
  if (schema.properties && depth < 4) {
    const names = schema.required?.length ? schema.required : Object.keys(schema.properties);
    return Object.fromEntries(names.map((name) => [name, exampleOf(schema.properties[name], depth + 1)]));
  }
  return { string: "", integer: 0, number: 0, boolean: false, array: [], null: null }[schema.type] ?? {};
}

// --- one route

function requestOf(route, inputs, body) {
  let path = route.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const [parameter, input] of inputs) {
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (input.value === "") continue;
    else if (parameter.in === "query") query.append(parameter.name, input.value);
    else headers[parameter.name] = input.value;
  }
  // The page may be below the path of another application. The document does not know that.
  const base = new URL(".", location.href).pathname.replace(/\/api\/v1\/$/, "");
  const url = base + path + (query.size ? `?${query}` : "");
  return { url, method: route.method.toUpperCase(), headers, body: body?.value.trim() || undefined };
}

function asCurl({ url, method, headers, body }) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = ["curl", quote(location.origin + url), "--header", '"Authorization: Bearer $KEY"'];
  if (method !== (body ? "POST" : "GET")) parts.push("--request", method);
  for (const [name, value] of Object.entries(headers)) parts.push("--header", quote(`${name}: ${value}`));
  if (body) parts.push("--data", quote(body));
  return parts.join(" ");
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function readInto(response, output) {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    if (text.length > LONGEST_ANSWER) {
      text = isStream ? text.slice(-LONGEST_ANSWER) : `${text.slice(0, LONGEST_ANSWER)}\n… and more`;
      if (!isStream) {
        await reader.cancel();
        break;
      }
    }
    if (isStream) output.textContent = text;
  }
  output.textContent = isStream ? text : pretty(text);
}

async function send(request, status, output, stop) {
  const aborting = new AbortController();
  stop.onclick = () => aborting.abort();
  stop.hidden = false;
  output.hidden = false;
  output.textContent = "";
  status.className = "";
  status.textContent = "Asking…";
  const begin = performance.now();
  try {
    const headers = { ...request.headers };
    if (csrf !== null && request.method !== "GET") headers["Holdfast-CSRF"] = csrf;
    const response = await fetch(request.url, { ...request, headers, credentials: "same-origin", signal: aborting.signal });
    status.className = response.ok ? "good" : "bad";
    status.textContent = `${response.status} ${response.statusText} after ${Math.round(performance.now() - begin)} ms`;
    await readInto(response, output);
    if (response.status === 401) await showCaller();
  } catch (error) {
    if (error.name !== "AbortError") {
      status.className = "bad";
      status.textContent = `The server does not answer: ${error.message}`;
    }
  } finally {
    stop.hidden = true;
  }
}

function fillRoute(details, route) {
  const { operation } = route;
  const inputs = (operation.parameters ?? []).map((given) => {
    const parameter = resolve(given);
    const label = `${parameter.name} in ${parameter.in}`;
    return [parameter, make("input", { "aria-label": label, placeholder: kindOf(parameter.schema), required: parameter.required })];
  });
  const rows = inputs.map(([parameter, input]) =>
    make("tr", {},
      make("td", { class: "mono" }, parameter.name, make("span", { class: "quiet" }, ` ${parameter.in}`)),
      make("td", {}, input),
      make("td", { class: "quiet" }, parameter.description ?? "")));
  const content = Object.values(operation.requestBody?.content ?? {})[0];
  const body = content && make("textarea", { "aria-label": "body", spellcheck: "false" });
  if (body) body.value = JSON.stringify(exampleOf(content.schema), null, 2);
  const curl = make("pre");
  const output = make("pre", { hidden: true, "aria-label": "answer" });
  const status = make("span", { role: "status" });
  const stop = make("button", { type: "button", class: "plain", hidden: true }, "Stop");
  const button = make("button", { type: "button" }, "Send");
  const inside = make("div", { class: "operation" }, make("p", {}, operation.description ?? operation.summary ?? ""));
  if (rows.length) inside.append(make("h3", {}, "Parameters"), make("table", {}, ...rows));
  if (body) inside.append(make("h3", {}, "Body"), body);
  inside.append(make("div", { class: "send" }, button, stop, status), output, make("h3", {}, "The same with curl"), curl);
  const showCurl = () => { curl.textContent = asCurl(requestOf(route, inputs, body)); };
  inside.addEventListener("input", showCurl);
  showCurl();
  button.addEventListener("click", () => {
    const missing = inputs.find(([parameter, input]) => parameter.required && !input.value);
    if (missing) missing[1].focus();
    else send(requestOf(route, inputs, body), status, output, stop);
  });
  details.append(inside);
}

// --- all routes

function firstSentence(text) {
  return text.replaceAll(/\s+/g, " ").split(/(?<=[.:]) /)[0].replace(/:$/, ".");
}

function showRoute(route) {
  const { operation, method, path } = route;
  const details = make("details", { id: operation.operationId },
    make("summary", {},
      make("span", { class: "method" }, method.toUpperCase()),
      make("code", {}, path),
      make("span", { class: "quiet" }, firstSentence(operation.description ?? operation.summary ?? ""))));
  details.dataset.text = `${method} ${path} ${operation.description ?? ""}`.toLowerCase();
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    if (details.childElementCount === 1) fillRoute(details, route);
    history.replaceState(null, "", `#${operation.operationId}`);
  });
  return details;
}

function showRoutes() {
  const groups = new Map();
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const operation = item[method];
      const tag = operation.tags?.[0] ?? "other";
      if (!groups.has(tag)) groups.set(tag, make("section", {}, make("h2", {}, tag)));
      groups.get(tag).append(showRoute({ method, path, operation }));
    }
  }
  at("routes").replaceChildren(...groups.values());
}

function filterRoutes() {
  const words = at("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of at("routes").children) {
    const routes = [...section.querySelectorAll("details")];
    for (const each of routes) each.hidden = !words.every((word) => each.dataset.text.includes(word));
    section.hidden = routes.every((each) => each.hidden);
  }
}

function openFromAddress() {
  const found = location.hash && at(decodeURIComponent(location.hash.slice(1)));
  if (found instanceof HTMLDetailsElement) {
    found.open = true;
    found.scrollIntoView();
  }
}

async function begin() {
  at("login").addEventListener("submit", logIn);
  at("logout").addEventListener("click", logOut);
  at("filter").addEventListener("input", filterRoutes);
  addEventListener("hashchange", openFromAddress);
  [, api] = await ask("openapi.json");
  at("version").textContent = api.info.version;
  showRoutes();
  openFromAddress();
  await showCaller();
}

begin().catch((error) => {
  at("problem").textContent = `This page could not be shown: ${error.message}`;
  at("problem").hidden = false;
});
