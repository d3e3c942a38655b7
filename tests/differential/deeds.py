"""Calls of workers and of clients that publish flows: mostly correct ones, sometimes too late."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

from tests.differential.drawing import FAILURE, NOBODY, SECOND, SERVICES, WORKFLOWS, Dice, Drawing
from tests.differential.promises import check_completion, check_taking
from tests.differential.side_by_side import SideBySide
from tests.differential.tables import QueueRow, read_failure
from tests.differential.workers import due_items

from holdfast.core.values import NULL, Failed, Failure, Instant, Outcome, Payload, RunStatus, Succeeded
from holdfast.ports.flows import DRAFT, PUBLISHED, FlowVersion
from holdfast.ports.runs import RunPage
from holdfast.ports.workers import Completion, CompletionResult, WorkerRecord

REMOTE_DEEDS = ["poll"] * 6 + ["complete"] * 3 + ["renew", "beat", "beat", "enlist", "silence", "name_flow"]
REMOTE_DEEDS += ["publish"] * 2

_SPACES = ("default", "default", "elsewhere")
_WORKERS = ("w1", "w2", "W1")
_URLS = ("queue", "http://one", "http://two")
_FLOWS = ("shop", "order", "shop-2")
_OUTCOMES: tuple[Outcome, ...] = (
    Succeeded(NULL),
    Succeeded(Payload('{"n":"grüße \\u0000"}'.encode())),
    Failed(read_failure(FAILURE) or Failure("", "")),
)


class HasStores(Protocol):
    stores: SideBySide

    def separate(self, item: QueueRow, at: Instant) -> None: ...


class RemoteDeeds:
    """A mixin for the machine, which has the stores."""

    # --- workers

    def _poll(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, worker, services = dice.pick(_SPACES), dice.pick(_WORKERS), dice.some(SERVICES, 3)
        now, known = self.stores.clock.now, [*self.stores.tables.queue.values()]
        if known and dice.chance(90):
            item = dice.pick(known)
            space, services = item.namespace, [*services, item.service]
        lease_until = Instant(now + dice.pick([5, 30]) * SECOND)
        due = due_items(self.stores.tables, space, services, now)
        # Stores may choose freely between items that are due at the same instant, so there must be none.
        for number, (first, second) in enumerate(pairwise(due)):
            if first.ready_at == second.ready_at:
                self.separate(first, Instant(now - number - 1))
        due = due_items(self.stores.tables, space, services, now)
        if any(first.ready_at == second.ready_at for first, second in pairwise(due)):
            return  # nobody holds them, so no heartbeat could separate them
        before = self.stores.tables
        item = self.stores.ask(
            f"poll_queue in {space} by {worker} for {services} until {lease_until}",
            lambda store: store.poll_queue(space, worker, services, now, lease_until),
        )
        check_taking(before, self.stores.tables, item, now)

    def separate(self: HasStores, item: QueueRow, at: Instant) -> None:
        """Renew the item until `at`. A worker holds it: only heartbeats make several due at one instant."""
        run, seq, lease = item.run, item.seq, item.lease
        self.stores.ask(
            f"renew_item {run} {seq} {lease} until {at}",
            lambda store: store.renew_item(item.namespace, run, seq, lease, at),
        )

    def _complete(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        item, lease = _held(self, dice)
        space = item.namespace if dice.chance(95) else dice.pick(_SPACES)
        completion = Completion(item.run, item.seq, lease, dice.pick(_OUTCOMES))
        before, now = self.stores.tables, self.stores.clock.now
        result = self.stores.ask(
            f"complete_item in {space} {completion}",
            lambda store: store.complete_item(space, completion, now),
            tells=lambda result: result is CompletionResult.DONE,
        )
        check_completion(before, self.stores.tables, completion, result)

    def _renew(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        item, lease = _held(self, dice)
        until = Instant(self.stores.clock.now + dice.pick([5, 30]) * SECOND + dice.number(0, 9))
        self.stores.ask(
            f"renew_item in {item.namespace} {item.run} {item.seq} {lease} until {until}",
            lambda store: store.renew_item(item.namespace, item.run, item.seq, lease, until),
        )

    def _beat(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, worker, url, load = (
            dice.pick(_SPACES),
            dice.pick(_WORKERS),
            dice.pick(_URLS),
            dice.number(0, 9),
        )
        now = self.stores.clock.now
        until = Instant(now + dice.pick([5, 30]) * SECOND)
        self.stores.ask(
            f"record_heartbeat in {space} of {worker} at {url} with {load} until {until}",
            lambda store: store.record_heartbeat(space, worker, url, load, now, until),
        )

    def _enlist(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, now = dice.pick(_SPACES), self.stores.clock.now
        services = tuple(dice.some(SERVICES, 3))
        worker = WorkerRecord(
            dice.pick(_WORKERS), dice.pick(_URLS), services, dice.pick(["http", "async"]), 0, now
        )
        self.stores.ask(
            f"register_worker in {space} {worker}", lambda store: store.register_worker(space, worker)
        )

    def _silence(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, before = dice.pick(_SPACES), Instant(self.stores.clock.now - dice.pick([0, 5]) * SECOND)
        self.stores.ask(
            f"mark_workers_offline in {space} before {before}",
            lambda store: store.mark_workers_offline(space, before),
        )

    # --- flows

    def _name_flow(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, name, about = dice.pick(_SPACES), dice.pick(_FLOWS), dice.pick(["", "grüße"])
        now = self.stores.clock.now
        self.stores.ask(
            f"create_flow in {space} {name}", lambda store: store.create_flow(space, name, about, now)
        )

    def _publish(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, flow, number = dice.pick(_SPACES), dice.pick(_FLOWS), dice.pick([1, 2, 10])
        hash = dice.pick(["a", "b"])
        status = dice.pick([DRAFT, DRAFT, PUBLISHED])
        version = FlowVersion(flow, number, status, hash, f"start: {hash}", self.stores.clock.now)
        if dice.chance(25):
            kind = dice.pick(["dag", "flow"])
            version = version._replace(status=PUBLISHED, kind=kind, input_schema=dice.pick([None, "{}"]))
            self.stores.ask(
                f"publish_version in {space} {version}",
                lambda store: store.publish_version(space, version, "about"),
            )
            return
        if dice.chance(10):
            self.stores.ask(
                f"delete_workflow in {space} {flow}", lambda store: store.delete_workflow(space, flow)
            )
            return
        known = self.stores.tables.workflows.get((space, flow, str(number)))
        replaces = None if known is None else known.definition.hash
        if dice.chance(15):
            replaces = dice.pick([None, "a", "b"])
        self.stores.ask(
            f"write_flow_version in {space} {version} for {replaces}",
            lambda store: store.write_flow_version(space, version, replaces),
        )

    # --- looking

    def look_at_flows(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, flow, look = dice.pick(_SPACES), dice.pick(_FLOWS), self.stores.look
        limit, offset = dice.pick([10, 1, 2]), dice.pick([0, 0, 1, 50])
        since = Instant(self.stores.clock.now - dice.pick([5, 60]) * SECOND)
        look(f"workers in {space} since {since}", lambda store: store.list_workers(space, since))
        look(f"flows in {space}", lambda store: store.list_flows(space, limit, offset))
        look(f"flow {flow} in {space}", lambda store: store.find_flow(space, flow))
        look(f"versions of {flow} in {space}", lambda store: store.list_flow_versions(space, flow))
        number = dice.pick([None, 1, 2])
        what = f"version {number} of {flow} in {space}"
        look(what, lambda store: store.find_flow_version(space, flow, number))
        kind, after = dice.pick([None, None, "dag", "code"]), dice.pick(["", flow])
        look(
            f"workflows in {space} {kind} after {after!r}",
            lambda store: store.list_workflows(space, kind, after, 2),
        )
        name = dice.pick([flow, *WORKFLOWS])
        look(f"all versions of {name}", lambda store: store.list_workflow_versions(space, name, 5))
        one = dice.pick([None, None, "1", "2"])
        look(f"version {one} of {name}", lambda store: store.find_version(space, name, one))
        look(f"published {what}", lambda store: store.find_published_definition(space, flow, number))
        page = RunPage(
            statuses=dice.pick([None, None, list(RunStatus), dice.some(list(RunStatus), 3)]),
            workflow=dice.pick([None, None, *WORKFLOWS]),
            version=dice.pick([None, None, "1", "2"]),
            is_queued=dice.pick([None, True, False]),
            is_cancelling=dice.pick([None, None, True, False]),
            limit=limit,
            offset=offset,
        )
        look(f"list_run_overviews in {space} {page}", lambda store: store.list_run_overviews(space, page))
        look(f"count_runs in {space} {page}", lambda store: store.count_runs(space, page, limit * 2))
        run = drawing.key()
        look(f"find_run_overview in {space} {run}", lambda store: store.find_run_overview(space, run))


def _held(machine: HasStores, dice: Dice) -> tuple[QueueRow, int]:
    """An item, held by a worker if there is such an item, and the lease of a worker that has or had it."""
    known = [*machine.stores.tables.queue.values()]
    held = [item for item in known if item.worker is not None]
    now = machine.stores.clock.now
    nobody = QueueRow("default", NOBODY, 0, SERVICES[0], 1, 1, None, now, None, now)
    item = dice.pick(held if held and dice.chance(85) else [nobody, *known])
    return item, item.lease + (dice.pick([-1, 1]) if dice.chance(15) else 0)
