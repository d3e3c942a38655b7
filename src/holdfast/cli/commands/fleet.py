"""`holdfast nodes` and `holdfast queues`: who does the work, and what waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, Db, Namespace
from holdfast.cli.views.output import moment_text, print_json, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.fleet import NodeInfo, NodeQueue, Queues, ServiceQueue, Slot


def register(app: typer.Typer) -> None:
    app.command("nodes")(nodes)
    app.command("queues")(queues)


def nodes(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """List the processes that run workflows, with the number of their runs."""

    async def read(client: Holdfast) -> list[NodeInfo]:
        return await client.nodes()

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
    elif not found:
        say("no nodes")
    else:
        header = ["HOST", "PROCESS", "STATUS", "RUNS", "VERSION", "SINCE", "SERVES"]
        print_table(header, [_node_row(node) for node in found], state=2)


def queues(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
    """List what waits for workers or is with them, and what nodes are running themselves."""

    async def read(client: Holdfast) -> Queues:
        return await client.queues()

    found = use_client(find_database(db, namespace), read)
    if as_json:
        print_json(found, is_pretty=True)
        return
    if not found.services and not found.slots:
        say("nothing waits for a worker, and no node runs a task")
    if found.services:
        header = ["SERVICE", "DEPTH", "DUE", "OLDEST DUE", "HELD BY"]
        print_table(header, [_service_row(queue) for queue in found.services])
    if found.slots:
        print_table(["QUEUE", "TASK", "RUN", "SINCE", "NODE"], [_slot_row(slot) for slot in found.slots])
    if waiting := [row for queue in found.queues for row in _waiting_rows(queue)]:
        print_table(["QUEUE", "WAITS", "RUN", "SINCE", "NODE"], waiting)


def _node_row(node: NodeInfo) -> list[str]:
    from holdfast.client.fleet import COUNTED_TO

    return [
        node.host or node.id,
        "-" if node.process is None else str(node.process),
        ("stopping" if node.is_stopping else "online") if node.is_alive else "offline",
        f"{node.runs}+" if node.runs >= COUNTED_TO else str(node.runs),
        node.version or "-",
        moment_text(node.started_at),
        "-" if node.serves is None else ", ".join(node.serves),
    ]


def _service_row(queue: ServiceQueue) -> list[str]:
    more = "" if queue.is_exact else "+"
    workers = dict.fromkeys(item.worker for item in queue.held)
    return [
        queue.service,
        f"{queue.depth}{more}",
        str(queue.due),
        "-" if queue.oldest_due_at is None else moment_text(queue.oldest_due_at),
        ", ".join(workers) or "-",
    ]


def _slot_row(slot: Slot) -> list[str]:
    since = "-" if slot.since is None else moment_text(slot.since)
    return [slot.queue or "?", slot.task, slot.run, since, slot.node]


def _waiting_rows(queue: NodeQueue) -> list[list[str]]:
    rows = [[queue.queue, it.task, it.run, moment_text(it.since), queue.node] for it in queue.first]
    if (left := queue.waiting - len(rows)) > 0:
        rows.append([queue.queue, f"and {left} more", "", "", queue.node])
    return rows
