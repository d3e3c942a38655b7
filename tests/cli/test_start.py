"""`holdfast start`: a run of any workflow, for nodes to do."""

from __future__ import annotations

import json
import signal
import time

import pytest
from tests.cli.processes import Project, read_until
from tests.patience import PATIENCE

SHOP = """
from holdfast import task, workflow

@task
async def double(number: int) -> int:
    return number * 2

@workflow
async def order(number: int, times: int = 1) -> int:
    for _ in range(times):
        number = await double(number)
    return number

@workflow
async def broken(why: str) -> None:
    raise ValueError(why)
"""


def test_a_node_does_what_was_started_by_name(project: Project):
    project.write("shop.py", SHOP)
    with project.start("serve", "shop.py", "--no-http", "--quiet") as node:
        read_until(node.stderr, "serving")
        done = project.run("start", "order", "--input", '{"number": 3}', "--wait", "60s", "--json")
        again = project.run(
            "start", "order", "-i", "[4, 2]", "--id", "a", "--tag", "x", "--tag", "y", "--note", "n"
        )
        waited = project.run("start", "order", "-i", "[4, 2]", "--id", "a", "--wait", "60s")
        failed = project.run("start", "broken", "-i", '["no"]', "--wait", "60s")
        refused = project.run("start", "order", "--input", '{"numbr": 3}')
        project.finish(node, signal.SIGTERM)

    assert (done.returncode, json.loads(done.stdout)["output"]) == (0, 6)
    assert again.returncode == 0
    assert "started run a; `holdfast runs show a` tells how it stands" in again.stderr
    assert "run a has ended: success" in waited.stderr
    assert (again.stdout, waited.stdout, failed.stdout) == ("", "16\n", "")
    assert failed.returncode == 1
    assert (refused.returncode, "'number'" in refused.stderr) == (2, True)
    [shown] = [each for each in project.ask("runs", "list") if each["id"] == "a"]
    assert (shown["tags"], shown["note"], shown["output"]) == (["x", "y"], "n", 16)


def test_a_start_with_a_mistake_is_refused(project: Project):
    project.write("shop.py", SHOP)
    assert project.run("db", "migrate").returncode == 0
    unknown = project.run("start", "ordr")
    wrong = project.run("start", "order", "--delay", "soon")
    high = project.run("start", "order", "--priority", "11")

    assert [each.returncode for each in (unknown, wrong, high)] == [2, 2, 2]
    assert "no workflow 'ordr'; no node that has it was ever there, and none is published" in unknown.stderr
    assert "--delay" in wrong.stderr
    assert "priority is 11" in high.stderr


def test_without_a_node_it_says_so_and_ctrl_c_does_not_hide_the_run(project: Project):
    project.write("nap.yaml", "name: nap\ntasks: {rest: {sleep: 0s}}\n")
    project.run("workflows", "put", "nap.yaml")

    begun = project.run("start", "nap")
    assert "no node is there to do it; `holdfast serve`" in begun.stderr

    waiting = project.start("start", "nap", "--wait", "60s")
    end = time.monotonic() + PATIENCE
    while len(project.ask("runs", "list")) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    waiting.send_signal(signal.SIGINT)
    told = waiting.communicate(timeout=PATIENCE)[1]
    newest = project.ask("runs", "list")[0]["id"]
    assert f"run {newest} is started; `holdfast runs show {newest}` tells how it stands" in told


def test_a_name_with_a_typing_error_is_answered_with_the_one_that_was_meant(project: Project):
    project.write("nap.yaml", "name: nap\ntasks: {rest: {sleep: 0s}}\n")
    project.run("workflows", "put", "nap.yaml")

    assert "error: no workflow 'npa'; did you mean 'nap'?\n" in project.run("start", "npa").stderr
    assert "error: no workflow 'zzzz'; there are nap\n" in project.run("start", "zzzz").stderr


@pytest.mark.parametrize("name", ["nap.yaml", "shop:order"])
def test_a_file_instead_of_a_name_is_explained(project: Project, name: str):
    project.write("nap.yaml", "name: nap\ntasks: {rest: {sleep: 0s}}\n")
    project.run("workflows", "put", "nap.yaml", "--db", "x.db")

    done = project.run("start", name, "--db", "x.db")

    assert done.returncode == 2
    assert f"WORKFLOW is '{name}', but must be the name of a workflow, not a file or module" in done.stderr


def test_a_run_without_logs_and_one_that_has_ended_are_not_answered_with_silence(project: Project):
    project.write("nap.yaml", "name: nap\ntasks: {rest: {sleep: 0s}}\n")
    project.run("workflows", "put", "nap.yaml", "--db", "x.db")
    project.run("start", "nap", "--id", "nap-1", "--db", "x.db")

    early = project.run("logs", "nap-1", "--db", "x.db")
    project.run("runs", "terminate", "nap-1", "--db", "x.db")
    late = project.run("logs", "nap-1", "--db", "x.db")
    watched = project.run("watch", "nap-1", "--db", "x.db")
    for_programs = [project.run(*words, "nap-1", "--json", "--db", "x.db") for words in (["logs"], ["watch"])]

    assert early.stderr == "run nap-1 has written nothing so far\n"
    assert late.stderr == "run nap-1 has written nothing\n"
    assert watched.stderr == "run nap-1 has ended: cancelled\n"
    assert [(each.stdout, each.stderr) for each in for_programs] == [("", "")] * 2
    assert early.stdout + late.stdout + watched.stdout == ""
