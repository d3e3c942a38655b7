"""`holdfast nodes drain`: a process that works elsewhere ends in order, and says why."""

from __future__ import annotations

import socket
import subprocess
import time
from typing import Any

from tests.cli.dev_process import developing
from tests.cli.processes import SECONDS, Project, eventually, read_until

SHOP = """
import time
from pathlib import Path
from holdfast import context, task, workflow


@task
def count() -> int:
    with Path("calls.txt").open("a") as calls:
        calls.write("count\\n")
    while not Path("go").exists():
        time.sleep(0.05)
    return 3


@workflow
async def stocktaking() -> int:
    return await count()


@workflow
async def listening() -> str:
    return await context().signal("word")
"""
SOONER_THAN_A_LEASE = 10.0


def worker(project: Project) -> subprocess.Popen[str]:
    process = project.start("worker", "shop.py", HOLDFAST_DRAIN_SECONDS="100")
    read_until(process.stderr, "serving stocktaking")
    return process


def name_of(process: subprocess.Popen[str]) -> str:
    return f"{socket.gethostname()}:{process.pid}"


def success(project: Project, id: str) -> bool:
    return project.ask("runs", "show", id)["status"] == "success"


def test_a_worker_lets_its_task_finish_and_others_go_on_with_its_runs(project: Project):
    project.write("shop.py", SHOP)
    first = worker(project)
    for workflow, id in (("stocktaking", "busy"), ("listening", "waiting")):
        assert project.run("start", workflow, "--id", id).returncode == 0
    eventually((project.folder / "calls.txt").exists)
    eventually(lambda: project.ask("runs", "show", "waiting")["status"] == "running")
    second = worker(project)
    eventually(lambda: len(project.ask("nodes")) == 2)

    asked = project.run("nodes", "drain", name_of(first), "--by", "ann")
    again = project.run("nodes", "drain", name_of(first), "--by", "bob")
    time.sleep(0.5)
    assert first.poll() is None
    (project.folder / "go").touch()
    said, told = first.communicate(timeout=SECONDS)
    ended = time.monotonic()
    project.run("signal", "waiting", "word", '"hello"')
    eventually(lambda: success(project, "waiting"))
    took = time.monotonic() - ended

    assert asked.returncode == again.returncode == 0, asked.stderr
    assert "was asked to end by ann; it has 2 runs" in asked.stderr
    assert "1 other node is there" in asked.stderr
    assert "was asked to end by ann" in again.stderr
    assert (first.returncode, said) == (0, "")
    assert "is drained by ann: it takes no more runs" in told
    assert "the node of this process was drained by ann: other nodes go on with its runs" in told
    assert told.endswith("stopped\n")
    assert took < SOONER_THAN_A_LEASE
    assert success(project, "busy")
    assert (project.folder / "calls.txt").read_text() == "count\n"
    assert [node["process"] for node in project.ask("nodes", "list")] == [second.pid]
    last = project.run("nodes", "drain", name_of(second))
    assert "no other node is there: what it leaves waits until one is" in last.stderr
    second.communicate(timeout=SECONDS)
    assert second.returncode == 0


def test_nodes_that_are_not_there_are_refused_and_several_are_named(project: Project):
    project.write("shop.py", SHOP)
    processes = [worker(project) for _ in range(2)]
    eventually(lambda: len(project.ask("nodes")) == 2)

    unknown = project.run("nodes", "drain", "web-1:4711")
    both = project.run("nodes", "drain", socket.gethostname())
    elsewhere = project.run("nodes", "drain", name_of(processes[0]), "--namespace", "other")

    assert (unknown.returncode, elsewhere.returncode, both.returncode) == (2, 2, 2)
    assert "no node 'web-1:4711' is there in namespace 'default'" in unknown.stderr
    assert "in namespace 'other'" in elsewhere.stderr
    assert all(node["id"] in both.stderr for node in project.ask("nodes"))
    for each in processes:
        assert project.run("nodes", "drain", name_of(each)).returncode == 0
        each.communicate(timeout=SECONDS)
        assert each.returncode == 0


def test_a_node_that_works_until_it_is_idle_does_not_say_that_it_is(project: Project):
    project.write("shop.py", SHOP)
    assert project.execute("worker", "shop.py", "--until-idle").returncode == 0  # the workflows are known now
    assert project.run("start", "stocktaking").returncode == 0
    process = project.start("worker", "shop.py", "--until-idle", "--json", HOLDFAST_DRAIN_SECONDS="100")
    eventually((project.folder / "calls.txt").exists)

    assert project.run("nodes", "drain", name_of(process)).returncode == 0
    (project.folder / "go").touch()
    said, _ = process.communicate(timeout=SECONDS)

    events: list[Any] = [line for line in said.splitlines() if '"idle"' in line]
    assert events == []
    assert '"event":"drained"' in said.replace(" ", "")
    assert process.returncode == 0


def test_dev_ends_too(project: Project):
    project.write("shop.py", SHOP)
    with developing(project) as dev:
        dev.serving()
        [node] = eventually(lambda: project.ask("nodes"))

        project.run("nodes", "drain", node["id"], "--by", "ann")

        assert dev.process.wait(SECONDS) == 0
        [told] = eventually(lambda: [each for each in dev.events if each["event"] == "drained"])
        assert told["by"] == "ann"
