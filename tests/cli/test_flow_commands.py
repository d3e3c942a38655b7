"""`holdfast flows` and `holdfast workers`."""

from __future__ import annotations

import asyncio
import json

from tests.cli.processes import SECONDS, Project, eventually
from tests.stores.builders import SPACE, Node, at

from holdfast import Catalog, Holdfast
from holdfast.stores import store_for

FIRST = "{name: refund, description: Money back, start: ok, nodes: {ok: {kind: approval}}}"
SECOND = "{name: refund, start: ok, nodes: {ok: {kind: approval, params: {timeout_ms: 5}}}}"
WRONG = "{name: refund, start: okay, nodes: {ok: {kind: aproval}}}"


def test_a_flow_is_published_in_versions_and_told_of(project: Project) -> None:
    project.write("refund.yaml", FIRST)
    first = project.run("flows", "publish", "refund.yaml")
    assert (first.returncode, first.stderr) == (0, "published version 1 of flow refund\n")
    again = project.run("flows", "publish", "refund.yaml")
    assert again.stderr == "published version 1 of flow refund\n"

    project.write("refund.yaml", SECOND)
    second = project.ask("flows", "publish", "refund.yaml")

    assert (second["flow"], second["number"], second["status"]) == ("refund", 2, "published")
    shown = project.run("flows", "show", "refund")
    assert shown.stderr == "refund: refund, Money back\n"
    assert [line.split()[:2] for line in shown.stdout.splitlines()[1:]] == [
        ["2", "published"],
        ["1", "published"],
    ]
    assert project.run("flows", "show", "refund", "--version", "1").stdout.strip() == FIRST
    assert [it["id"] for it in project.ask("flows", "list")] == ["refund"]


def test_versions_are_compared(project: Project) -> None:
    for text in (FIRST, SECOND):
        project.write("refund.yaml", text)
        project.run("flows", "publish", "refund.yaml")

    told = project.run("flows", "compare", "refund", "1", "2")

    assert told.stdout.splitlines()[1:] == ['$.nodes.ok.params added: {"timeout_ms": 5}']
    assert project.run("flows", "compare", "refund", "2", "2").stderr == "they do the same\n"


def test_what_is_wrong_is_said_with_its_path_and_nothing_is_published(project: Project) -> None:
    project.write("refund.yaml", WRONG)

    done = project.run("flows", "publish", "refund.yaml")

    assert done.returncode == 2
    assert "$.nodes.ok.kind:" in done.stderr
    assert "$.start:" in done.stderr
    assert project.run("flows", "show", "refund").returncode == 2


def test_a_draft_is_not_run_until_it_is_published(project: Project) -> None:
    project.write("refund.yaml", FIRST)
    project.run("flows", "publish", "refund.yaml", "--draft")

    refused = project.run("flows", "start", "refund")
    assert refused.returncode == 2
    assert "no version that is published" in refused.stderr

    assert project.ask("flows", "publish", "refund.yaml")["status"] == "published"
    assert project.run("flows", "start", "refund").returncode == 0


def test_a_run_that_was_started_is_taken_by_a_node_and_answered(project: Project) -> None:
    project.write("refund.yaml", FIRST)
    project.run("flows", "publish", "refund.yaml")
    run = project.ask("flows", "start", "refund", "--id", "r-1", "--input", '{"cents": 5}')["run"]
    assert run == "r-1"

    node = project.start("serve", "--no-http")
    try:
        eventually(lambda: project.run("approve", "r-1", "ok").returncode == 0)
        eventually(lambda: project.ask("runs", "show", "r-1")["status"] == "success")
    finally:
        node.terminate()
        node.communicate(timeout=SECONDS)

    shown = project.ask("runs", "show", "r-1")
    assert (shown["input"], shown["output"]) == ({"cents": 5}, {"ok": True})


def test_nodes_and_queues_are_listed(project: Project) -> None:
    folder = project.folder / ".holdfast"
    folder.mkdir()

    async def begin() -> None:
        store = store_for(f"sqlite:///{folder}/holdfast.db")
        await store.open()
        node = Node(store, "host:7:ab:cd")
        await node.queue(1, 2, service="mail")
        await node.start(3)
        await store.poll_queue(SPACE, "w-1", ["mail"], at(1), at(61))
        await store.close()

    asyncio.run(begin())

    [node] = project.ask("nodes")
    assert (node["host"], node["process"], node["runs"], node["is_alive"]) == ("host", 7, 3, False)
    [queue] = project.ask("queues")["services"]
    assert (queue["service"], queue["depth"]) == ("mail", 2)
    assert ["host", "7", "offline", "3"] in [
        line.split()[:4] for line in project.run("nodes").stdout.splitlines()
    ]
    listed = [line.split() for line in project.run("queues").stdout.splitlines()]
    assert ["mail", "2", "w-1"] in [[line[0], line[1], line[-1]] for line in listed]
    assert ["?", "charge"] in [line[:2] for line in listed]


def test_workers_are_listed_with_whether_they_are_there(project: Project) -> None:
    assert project.run("flows", "list").returncode == 2  # there is no database yet

    async def register() -> None:
        folder = project.folder / ".holdfast"
        folder.mkdir()
        async with Holdfast(f"sqlite:///{folder}/holdfast.db", engine=False, catalog=Catalog()) as hf:
            await hf.workers.register("w-1", "http://localhost:9", ["mail", "sms"], "http")

    asyncio.run(register())

    assert "w-1" in project.run("workers").stdout
    [worker] = json.loads(project.run("workers", "--service", "sms", "--json").stdout)
    assert (worker["id"], worker["is_online"], worker["services"]) == ("w-1", True, ["mail", "sms"])
    assert project.ask("workers", "--service", "fax") == []
