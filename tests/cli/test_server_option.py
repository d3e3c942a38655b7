"""`--server`: the commands say over HTTP what they say of the database."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.cli.processes import Project
from tests.docs.pages import ROOT
from tests.server.v1.asking import new_catalog

import holdfast.sync
from holdfast.cli.server_options import NEEDS_DATABASE
from holdfast.server.serving import ApiServer

DAG: Final = "name: nap\ntasks: {rest: {sleep: 0s}}\n"


class Served(NamedTuple):
    project: Project
    hf: holdfast.sync.Holdfast
    url: str
    file: str

    def server(self, *words: str) -> Any:
        return self.project.run(*words, "--server", self.url)

    def database(self, *words: str) -> Any:
        return self.project.run(*words, "--db", self.file)


@pytest.fixture
def served(tmp_path: Path, sqlite_url: str) -> Iterator[Served]:
    """A server on a thread of this process. Its database has a run of each kind."""
    folder = tmp_path / "project"
    folder.mkdir()
    with holdfast.sync.Holdfast(sqlite_url, catalog=new_catalog()) as hf:
        server, port = on_its_thread(hf, lambda: start_server(hf))
        try:
            file = sqlite_url.removeprefix("sqlite:///")
            yield Served(Project(folder), hf, f"http://127.0.0.1:{port}", file)
        finally:
            on_its_thread(hf, server.stop)


async def start_server(hf: holdfast.sync.Holdfast) -> tuple[ApiServer, int]:
    server = hf.inner.api_server()
    return server, await server.start("127.0.0.1", 0)


def on_its_thread(hf: holdfast.sync.Holdfast, call: Callable[[], Any]) -> Any:
    return hf._thread.call(call)  # pyright: ignore[reportPrivateUsage]


@pytest.fixture
def busy(served: Served) -> Served:
    """With runs that have ended in both ways, one that waits and one that asks."""
    hf = served.hf
    hf.run("doubled", 4, 2, id="good")
    with pytest.raises(ValueError, match="oh"):
        hf.run("failing", "oh", id="bad")
    hf.start("talking", ["one", "two"], id="talks")
    hf.start("asking", "may I?", id="asks")
    hf.start("publishing", 3, id="publishes")
    hf.schedules.put("nightly", "doubled", cron="0 3 * * *", input={"number": 1})
    hf.workflows.put(DAG)
    hf.signal("publishes", "go")
    hf.result("publishes")
    while not (hf.questions() and hf.logs("talks")):
        pass
    return served


TIMES: Final = re.compile(
    r'\(for [^)]*\)|\d+\.\d s|\d+ ms|(?<="waited_for_person": )[\d.]+|(?<="version": )(null|"0[.\w]*")'
)
"""A node says its version a moment after it has begun."""

SINCE: Final = re.compile(r", for \d+(\.\d)? s")
"""Said from the first second on."""


@pytest.mark.parametrize(
    "words",
    [
        "runs list",
        "runs list --status failed",
        "runs show good",
        "runs show bad",
        "runs failures",
        "runs stream publishes numbers",
        "explain asks",
        "logs talks",
        "questions",
        "nodes",
        "queues",
        "workers",
        "schedules list",
        "schedules show nightly",
        "schedules preview nightly",
        "workflows list",
        "workflows show nap",
        "workflows versions nap",
        "workflows graph nap",
        "workflows schema doubled",
        "keys list",
        "audit",
        "doctor",
        "runs export good bad",
    ],
)
def test_both_say_the_same(busy: Served, words: str):
    for more in ((), ("--json",)):
        local = busy.database(*words.split(), *more)
        remote = busy.server(*words.split(), *more)

        texts = [it.stdout.replace(f"--db {busy.file}", "--…") for it in (local, remote)]
        said = [TIMES.sub("…", SINCE.sub("", text)) for text in texts]
        said[0] = said[0].replace("run --retry", "runs retry")  # the nodes of the server do it
        said[1] = said[1].replace(f"--server {busy.url}", "--…")
        assert (local.returncode, remote.returncode) == (0, 0), remote.stderr
        assert said[0] == said[1]
        assert said[0] or local.stderr == remote.stderr != ""


def test_what_is_done_on_the_server_is_done(served: Served):
    def done(*words: str) -> Any:
        answer = served.server(*words)
        assert answer.returncode == 0, answer.stderr
        return answer

    done("start", "counting", "--input", '{"begin": 1}', "--id", "a", "--tag", "vip")
    assert done("update", "a", "add", "4").stdout.strip() == "5"
    done("signal", "a", "end")
    assert served.hf.result("a") == 5
    assert served.hf.describe("a").tags == ("vip",)
    done("start", "asking", "--input", '["may I?"]', "--id", "b")
    while not served.hf.questions():
        pass
    done("resolve", "b", "verdict", "true", "--by", "ann")
    assert served.hf.result("b") is True
    assert [each.by for each in served.hf.messages("b")] == ["ann"]
    done("start", "waiting", "--id", "c")
    done("runs", "pause", "c")
    while served.hf.describe("c").status != "paused":
        pass
    done("runs", "resume", "c")
    done("runs", "cancel", "--workflow", "waiting", "--yes")
    done("runs", "delete", "a")
    served.hf.schedules.put("nightly", "doubled", cron="0 3 * * *", input={"number": 1})
    assert served.hf.result(done("schedules", "trigger", "nightly").stdout.strip()) == 2
    assert (
        served.server("start", "failing", "--input", '["oh"]', "--id", "d", "--wait", "60s").returncode == 1
    )
    again = f"holdfast runs retry d --server {served.url}"
    assert f"try again what failed: {again}" in done("runs", "show", "d").stdout
    assert "takes it\n" in done(*again.split()[1:-2]).stderr
    served.project.write("nap.yaml", DAG)
    done("workflows", "put", "nap.yaml")
    assert served.hf.workflows.get("nap").version == "1"


def test_a_key_is_read_from_a_file_or_the_environment_and_makes_the_sender(served: Served):
    key = served.hf.keys.create("ops", "operator").text
    served.project.write("key", f"{key}\n")

    answer = served.server("start", "waiting", "--id", "a", "--key-file", "key")
    assert answer.returncode == 0, answer.stderr
    assert f"--server {served.url} --key-file key` tells" in answer.stderr
    assert served.server("runs", "pause", "a", "--key-file", "key").returncode == 0
    assert {each.by for each in served.hf.messages("a")} == {"ops"}
    refused = served.server("keys", "list", "--key-file", "key")
    assert refused.returncode == 2
    assert "the role operator may not do this" in refused.stderr

    missing = served.server("runs", "list", "--key-file", "nowhere")
    assert "nowhere: no such file" in missing.stderr
    served.project.write("empty", "\n")
    assert "empty: the file is empty" in served.server("runs", "list", "--key-file", "empty").stderr
    assert key not in answer.stderr + refused.stderr + missing.stderr


def test_keys_made_over_http_are_in_the_audit_log_once(served: Served):
    made = served.server("keys", "create", "ci", "--role", "viewer")

    assert made.returncode == 0, made.stderr
    assert [(row.action, row.target) for row in served.hf.audit.list()] == [
        ("keys.create", served.hf.keys.list()[0].id)
    ]


@pytest.mark.parametrize("command", [*NEEDS_DATABASE])
def test_what_needs_the_database_says_so_by_name(served: Served, command: str):
    arguments = {
        "holdfast run": ["nap.yaml"],
        "holdfast worker": ["nap.yaml"],
        "holdfast runs import": ["file"],
        "holdfast runs export": ["--all"],
        "holdfast flows": ["list"],
        "holdfast db": ["status"],
    }
    served.project.write("nap.yaml", DAG)
    served.project.write("file", "")

    answer = served.server(*command.split()[1:], *arguments.get(command, []))

    assert answer.returncode == 2
    assert f"`{command}" in answer.stderr
    assert "cannot be done over HTTP; " in answer.stderr


def test_old_runs_are_counted_and_pruned_by_the_nodes_of_the_server(busy: Served):
    old = ["runs", "prune", "--older-than", "0s", "--status", "success"]

    local = busy.database(*old, "--dry-run", "--json")
    counted = busy.server(*old, "--dry-run", "--json")
    refused = busy.server(*old)
    begun = busy.server(*old, "--background", "--json")

    assert json.loads(counted.stdout) == json.loads(local.stdout)
    assert json.loads(counted.stdout)["runs"] > 0
    assert refused.returncode == 2
    assert "`holdfast runs prune` cannot be done over HTTP; with --background nodes do it" in refused.stderr
    assert json.loads(begun.stdout)["act"] == "prune"


def test_the_page_says_what_needs_the_database_and_why():
    page = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")

    for command, advice in NEEDS_DATABASE.items():
        assert f"| `{command}` | {advice} |" in page, command


def test_a_server_is_given_by_its_address_and_without_a_database(served: Served):
    both = served.project.run("runs", "list", "--server", served.url, "--db", served.file)
    wrong = served.project.run("runs", "list", "--server", "holdfast.example")
    away = served.project.run("runs", "list", "--server", "http://127.0.0.1:1", HOLDFAST_RETRY_SECONDS="0")
    as_database = served.project.run("runs", "list", "--db", served.url, "--json")

    assert "given without --db" in both.stderr
    assert "such as https://holdfast.example" in wrong.stderr
    assert "the server http://127.0.0.1:1 does not answer" in away.stderr
    assert [both.returncode, wrong.returncode, away.returncode] == [2, 2, 2]
    assert json.loads(as_database.stdout) == []
