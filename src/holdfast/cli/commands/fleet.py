"""`holdfast nodes` and `holdfast queues`: who does the work, what waits for it, and how a node is drained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.database import find_database, use_client
from holdfast.cli.options import AsJson, By, Db, Namespace, user_name
from holdfast.cli.views.output import moment_text, print_json, say
from holdfast.cli.views.tables import print_table
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.fleet import NodeDrain, NodeInfo, NodeQueue, Queues, ServiceQueue, Slot

_Node = Annotated[
    str,
    typer.Argument(
        metavar="NODE",
        help="HOST:PROCESS as in `holdfast nodes`, or the whole id as in --json.",
        show_default=False,
    ),
]

nodes = typer.Typer(help="List the processes that run workflows, and drain them. Alone, it lists them.")


def register(app: typer.Typer) -> None:
    app.add_typer(nodes, name="nodes")
    app.command("queues")(queues)


@nodes.command("list")
def list_nodes(as_json: AsJson = False, db: Db = None, namespace: Namespace = None) -> None:
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


@nodes.command("drain")
def drain_node(
    node: _Node, by: By = "", as_json: AsJson = False, db: Db = None, namespace: Namespace = None
) -> None:
    """Ask a node to end as SIGTERM ends it: it takes no more runs, lets tasks under way finish for its
    drain_seconds, and hands back the rest, which other nodes go on with at once.

    Returns when the node was asked; `holdfast nodes` shows it until it has ended. Its process ends with exit
    code 0, if it is `holdfast serve`, `worker` or `dev`. A supervisor may start it again.
    """
    who = user_name(by)

    async def drain(client: Holdfast) -> NodeDrain:
        return await client.drain_node(_meant(node, await client.nodes()), by=who)

    asked = use_client(find_database(db, namespace), drain)
    if as_json:
        print_json(asked)
        return
    runs, others = _counted(asked.runs, "run"), _counted(asked.others, "other node")
    say(f"node {asked.node} was asked to end{f' by {asked.by}' if asked.by else ''}; it has {runs}")
    if not asked.others:
        say("no other node is there: what it leaves waits until one is", "yellow")
    else:
        say(f"{others} {'is' if asked.others == 1 else 'are'} there")


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
        _status(node),
        f"{node.runs}+" if node.runs >= COUNTED_TO else str(node.runs),
        node.version or "-",
        moment_text(node.started_at),
        "-" if node.serves is None else ", ".join(node.serves),
    ]


def _status(node: NodeInfo) -> str:
    if not node.is_alive:
        return "offline"
    return "stopping" if node.is_stopping else "online" if node.drain_asked_by is None else "asked to end"


def _meant(given: str, nodes: list[NodeInfo]) -> str:
    """The id of the node that the user means. Raises BadOption if there are several."""
    found = [node.id for node in nodes if node.is_alive and node.id.startswith(f"{given}:")]
    if len(found) > 1:
        raise BadOption("NODE", given, f"the id of one node: {', '.join(found)}")
    return found[0] if found else given


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


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
