import { expect, test } from "vitest";
import { readTraceback, shortFile } from "./traceback";

const TEXT = `Traceback (most recent call last):
  File "/srv/.venv/lib/python3.12/site-packages/httpx/_client.py", line 12, in send
    raise ConnectError(
  File "/srv/shop/ledger.py", line 88, in post_ledger
    reply = await client.post(entries, key=key)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
ConnectionError: ledger.internal:443 refused the connection
`;

test("frames are told apart by whose code they are", () => {
  const [frames, error] = readTraceback(TEXT);

  expect(frames?.kind === "frames" && frames.frames.map((each) => [each.function, each.isMine])).toEqual([
    ["send", false],
    ["post_ledger", true],
  ]);
  expect(frames?.kind === "frames" && frames.frames[1]?.source).toBe(
    "reply = await client.post(entries, key=key)",
  );
  expect(error).toEqual({
    kind: "error",
    text: "ConnectionError: ledger.internal:443 refused the connection",
  });
});

test("text between two tracebacks stays", () => {
  const parts = readTraceback(
    `${TEXT}\nIt was raised again:\n\n  File "/srv/shop/shop.py", line 63, in fulfil\n    x\n`,
  );

  expect(parts.map((each) => each.kind)).toEqual(["frames", "error", "text", "frames"]);
});

test("what is no traceback is text", () => {
  expect(readTraceback("exit code 3, and nothing else")).toEqual([
    { kind: "text", text: "exit code 3, and nothing else" },
  ]);
  expect(readTraceback("")).toEqual([]);
});

test("a file is named by its last two parts", () => {
  expect(shortFile("/srv/shop/clients/http.py")).toBe("clients/http.py");
  expect(shortFile("C:\\shop\\http.py")).toBe("shop/http.py");
});
