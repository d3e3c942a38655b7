"""`holdfast workflows`."""

from __future__ import annotations

import json

from tests.cli.processes import Project

NAP = "name: nap\ninput:\n  days: int = 3\ntasks:\n  wait: {sleep: 0s}\n"
ASK = '{"name": "ask", "start": "ok", "nodes": {"ok": {"kind": "approval"}}}'
SHOP = """\
from holdfast import workflow


@workflow
async def buy(cents: int) -> int:
    return cents
"""
TALLY = """\
from holdfast import update, workflow


@workflow
class Tally:
    @update
    def add(self, by: int, *more: int) -> int:
        'Adds them up.'
        return sum(more, by)

    @update
    def reset(self) -> None: ...

    async def run(self) -> None: ...
"""


def test_a_dag_is_put_in_versions_listed_compared_and_deleted(project: Project) -> None:
    project.write("nap.yaml", NAP)
    first = project.run("workflows", "put", "nap.yaml")
    again = project.run("workflows", "put", "nap.yaml")
    project.write("nap.yaml", NAP.replace("3", "4"))
    second = project.ask("workflows", "put", "nap.yaml")

    assert (first.returncode, first.stderr) == (0, "published version 1 of dag nap\n")
    assert again.stderr == "nothing new: this is version 1 of dag nap\n"
    assert (second["version"], second["is_new"], second["schedule"]) == ("2", True, None)
    listed = project.run("workflows", "list").stdout.splitlines()
    assert listed[1].split()[:5] == ["nap", "dag", "2", "yes", "2"]
    assert [it["version"] for it in project.ask("workflows", "versions", "nap")] == ["2", "1"]
    assert project.run("workflows", "show", "nap", "--version", "1").stdout == NAP + "\n"
    assert "-  days: int = 3\n+  days: int = 4\n" in project.run("workflows", "diff", "nap", "1", "2").stdout
    assert project.run("workflows", "diff", "nap", "1", "1").stderr == "they are the same\n"
    schema = json.loads(project.run("workflows", "schema", "nap").stdout)
    assert schema["properties"] == {"days": {"type": "integer", "default": 4}}
    assert "wait" in project.run("workflows", "graph", "nap").stdout
    drawn = project.ask("workflows", "graph", "nap")
    assert [node["id"] for node in drawn["graph"]["nodes"]] == ["wait"]
    assert drawn["layout"]["nodes"][0]["width"] > 0
    deleted = project.run("workflows", "delete", "nap")
    assert deleted.stderr == "deleted 2 versions of nap\n"
    assert project.ask("workflows", "list") == []
    assert project.run("workflows", "show", "nap").returncode == 2


def test_everything_that_is_wrong_is_told_with_its_place_in_the_file(project: Project) -> None:
    project.write("bad.yaml", "name: bad\ntasks:\n  a: {command: ./a.sh}\n  b: {sleep: soon}\n")

    done = project.run("workflows", "put", "bad.yaml")

    assert done.returncode == 2
    assert "bad.yaml:3:" in done.stderr
    assert "a published DAG has none" in done.stderr
    assert "bad.yaml:4:" in done.stderr
    assert project.ask("workflows", "list") == []


def test_code_that_a_node_has_registered_is_shown_and_has_no_graph(project: Project) -> None:
    project.write("shop.py", SHOP)
    project.run("run", "shop:buy", "--input", '{"cents": 5}')

    assert project.ask("workflows", "list", "--kind", "code")[0]["name"] == "buy"
    assert "async def buy" in project.run("workflows", "show", "buy").stdout
    refused = project.run("workflows", "graph", "buy")
    assert (refused.returncode, "has no graph" in refused.stderr) == (2, True)


def test_a_class_is_shown_with_its_updates(project: Project) -> None:
    project.write("tally.py", TALLY)
    project.run("run", "tally:Tally")

    shown = project.run("workflows", "show", "Tally")

    assert shown.stderr.splitlines()[1:] == ["update add(by, *more): Adds them up.", "update reset()"]
    assert [it["name"] for it in project.ask("workflows", "show", "Tally")["updates"]] == ["add", "reset"]


def test_a_workflow_with_open_runs_is_deleted_only_by_force(project: Project) -> None:
    project.write("ask.json", ASK)
    project.run("workflows", "put", "ask.json")
    project.run("flows", "start", "ask")

    refused = project.run("workflows", "delete", "ask")
    forced = project.run("workflows", "delete", "ask", "--force")

    assert refused.returncode == 2
    assert "1 of its runs have not ended" in refused.stderr
    assert "1 of its runs have not ended, and go on\n" in forced.stderr
    assert project.ask("workflows", "list") == []


def test_a_text_comes_from_standard_input_under_another_name(project: Project) -> None:
    done = project.run("workflows", "put", "-", "--name", "siesta", input=NAP)

    assert (done.returncode, done.stderr) == (0, "published version 1 of dag siesta\n")
    assert project.run("workflows", "put", "-", input="tasks: {a: {sleep: 1s}}").returncode == 2
