import { expect, test } from "vitest";
import type { Backlog, NodeInfo, Queues, WorkerDetails } from "../../api/schema";
import { sentences, servicesOf } from "./fleet";

const NOW = Date.parse("2026-03-17T08:47:00Z");
const EMPTY: Queues = { services: [], slots: [] };

function node(host: string, process: number | null, more: Partial<NodeInfo> = {}): NodeInfo {
  return {
    id: `${host}:${process}:x`,
    host,
    process,
    started_at: "2026-03-17T00:00:00Z",
    seen_at: null,
    lease_until: "2026-03-17T08:47:20Z",
    serves: [],
    runs: 0,
    is_alive: true,
    is_stopping: false,
    ...more,
  };
}

function worker(id: string, services: string[], isOnline: boolean, holds: string[] = []): WorkerDetails {
  return {
    worker: {
      id,
      url: "queue",
      services,
      type: "async",
      load: 0,
      heartbeat_at: `2026-03-17T08:00:0${id}Z`,
      is_online: isOnline,
    },
    holds: holds.map((service, seq) => ({
      worker: id,
      run: "r",
      key: "k",
      seq,
      service,
      attempt: 1,
      taken_at: null,
      lease_until: "2026-03-17T09:00:00Z",
    })),
  };
}

function text(situation: Partial<Parameters<typeof sentences>[0]>): string[] {
  const said = sentences({
    nodes: [],
    queues: EMPTY,
    workers: [],
    backlog: undefined,
    now: NOW,
    ...situation,
  });
  return [said.first, ...said.more].map((parts) => parts.map((each) => each.text).join(""));
}

test("a worker counts with each of its services, and its tasks with their own", () => {
  const services = servicesOf([
    worker("1", ["mail", "pay"], true, ["mail", "mail"]),
    worker("2", ["mail"], false),
  ]);

  expect(services.map((each) => [each.name, each.online, each.known, each.busy])).toEqual([
    ["mail", 1, 2, 2],
    ["pay", 1, 1, 0],
  ]);
});

test("a fleet with nothing wrong says so in one sentence", () => {
  expect(text({ nodes: [node("a", 1), node("b", 1)] })).toEqual(["2 nodes are up and have nothing to do."]);
  expect(text({ nodes: [node("a", 1)] })).toEqual(["One node is up and has nothing to do."]);
});

test("without a node that comes first, with what waits for one", () => {
  const backlog: Backlog = {
    due_runs: 3,
    oldest_due_seconds: 70,
    waiting_tasks: 0,
    oldest_waiting_seconds: 0,
    workflows: [],
    services: [],
  };

  expect(text({ backlog })[0]).toBe("No node is up, and 3 runs wait for one.");
  expect(text({ backlog, nodes: [node("a", 1)] })[0]).toBe(
    "3 runs are due that no node has taken, the oldest for 1\u00a0min\u00a010\u00a0s.",
  );
});

test("what became of the runs of a lost node is said, before and after its lease has run out", () => {
  const lost = node("atlas-3", 1, { is_alive: false, runs: 14 });

  expect(text({ nodes: [node("a", 1), lost] })[0]).toBe(
    "Node atlas-3 was lost with 14 runs. Other nodes take them up when its lease runs out, in 20\u00a0s.",
  );
  expect(text({ nodes: [node("a", 1), { ...lost, lease_until: "2026-03-17T08:00:00Z" }] })[0]).toMatch(
    /has run out/,
  );
});

test("tasks that no worker asks for are said, and those that one does are not", () => {
  const queues = {
    slots: [],
    services: [{ service: "resize", depth: 2, due: 2, is_exact: true, oldest_due_at: null, held: [] }],
  };

  expect(text({ nodes: [node("a", 1)], queues })[0]).toBe(
    "2 tasks wait for resize, and no worker that serves it is online.",
  );
  expect(text({ nodes: [node("a", 1)], queues, workers: [worker("1", ["resize"], true)] })[0]).toMatch(
    /is up/,
  );
});
