import { expect, it } from "vitest";
import { EventReader, type ServerEvent } from "./events";

function read(...pieces: string[]): { events: ServerEvent[]; ids: string[] } {
  const events: ServerEvent[] = [];
  const ids: string[] = [];
  const reader = new EventReader(
    (event) => events.push(event),
    (id) => ids.push(id),
  );
  for (const piece of pieces) reader.feed(piece);
  return { events, ids };
}

it("reads events that come in pieces", () => {
  const { events } = read("id: a1\nev", "ent: pulse\nda", 'ta: {"a":1}\n', "\n");
  expect(events).toEqual([{ id: "a1", event: "pulse", data: '{"a":1}' }]);
});

it("hears the id of a comment, so that it can come back from there", () => {
  const { events, ids } = read(": from here\nid: b2\n\n");
  expect(events).toEqual([]);
  expect(ids).toEqual(["b2"]);
});

it("joins lines of data, and forgets the event after it was told", () => {
  const { events } = read("data: x\ndata: y\n\ndata: z\n\n");
  expect(events.map((each) => [each.event, each.data])).toEqual([
    ["message", "x\ny"],
    ["message", "z"],
  ]);
});

it("takes a return and a line feed in two pieces for one end of a line", () => {
  const { events } = read("data: x\r", "\n\r", "\n");
  expect(events.map((each) => each.data)).toEqual(["x"]);
});
