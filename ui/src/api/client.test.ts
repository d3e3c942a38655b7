import { afterEach, beforeEach, expect, test, vi } from "vitest";

let client: typeof import("./client");

beforeEach(async () => {
  vi.stubGlobal("document", { baseURI: "http://here/" });
  client = await import("./client");
});
afterEach(() => vi.unstubAllGlobals());

test("an answer that breaks off in the middle is none", async () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new TypeError("Failed to fetch")),
  });
  vi.stubGlobal("fetch", () =>
    Promise.resolve(new Response(body, { headers: { "content-type": "application/json" } })),
  );

  const asked = client.get("/api/v1/nodes");

  await expect(asked).rejects.toMatchObject({ status: 0, code: "unreachable" });
});

test("the code of a problem is shown if it is from the server", () => {
  expect(new client.Problem(409, "run_ended", "The run has ended.").shownCode).toBe("run_ended");
  expect(new client.Problem(0, "unreachable", "The server does not answer.").shownCode).toBe("");
});

test.each([".", ".."])("nothing is asked of %s, which is no name", async (id) => {
  const asks = vi.fn();
  vi.stubGlobal("fetch", asks);

  const asked = client.get("/api/v1/runs/{id}", { path: { id } });

  await expect(asked).rejects.toMatchObject({ status: 404 });
  expect(asks).not.toHaveBeenCalled();
});

test("the name of a namespace is sent as bytes, as headers are", () => {
  client.context.namespace = "läden";
  const header = client.namespaceHeader()["Holdfast-Namespace"] ?? "";
  client.context.namespace = "";

  expect(new TextDecoder().decode(Uint8Array.from(header, (each) => each.charCodeAt(0)))).toBe("läden");
  expect(client.namespaceHeader()).toEqual({});
});
