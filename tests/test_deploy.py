"""The files in `deploy` say what is so: commands, options, settings, ports, probes and pinned packages."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from tests.test_setup import locked

from holdfast.cli.main import app
from holdfast.client.backlogs import Backlog
from holdfast.settings import Settings

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
MANIFESTS = [
    document
    for file in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(file.read_text("utf-8"))
]
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")
UNIT = (DEPLOY / "systemd" / "holdfast.service").read_text("utf-8")


def containers() -> list[dict[str, Any]]:
    pods = [each["spec"]["template"]["spec"] for each in MANIFESTS if "template" in each.get("spec", {})]
    return [container for pod in pods for container in pod["containers"]]


def commands() -> list[list[str]]:
    entry = re.search(r"^CMD (\[\"serve.*\])$", DOCKERFILE, re.MULTILINE)
    start = re.search(r"^ExecStart=\S+/holdfast (.*)$", UNIT, re.MULTILINE)
    assert entry is not None
    assert start is not None
    return [
        yaml.safe_load(entry[1]),
        shlex.split(start[1]),
        *[each["command"] for each in SERVICES.values() if "command" in each],
        *[each["args"] for each in containers()],
    ]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_is_one_of_ours_with_options_that_it_has(words: list[str]):
    command: Any = typer.main.get_command(app)
    context = command.make_context("holdfast", list(words), resilient_parsing=False)
    while hasattr(command, "resolve_command"):
        name, command, rest = command.resolve_command(context, context._protected_args + context.args)
        context = command.make_context(name, rest, parent=context)
    assert command.name in {"serve", "worker", "migrate"}


def test_settings_are_ours():
    text = "\n".join(path.read_text("utf-8") for path in DEPLOY.rglob("*") if path.is_file())
    named = {name.lower() for name in re.findall(r"HOLDFAST_([A-Z_]+)", text)}

    assert named - set(Settings.__struct_fields__) == set()
    assert {"url", "metrics", "log_format"} <= named


def test_nothing_runs_as_root_or_writes_to_its_own_file_system():
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)
    for container in containers():
        limits = container["securityContext"]
        assert limits["readOnlyRootFilesystem"]
        assert not limits["allowPrivilegeEscalation"]
        assert limits["capabilities"] == {"drop": ["ALL"]}
    for name in ("server", "worker"):
        assert SERVICES[name]["read_only"]
        assert SERVICES[name]["cap_drop"] == ["ALL"]


def test_what_stops_a_node_waits_for_longer_than_the_node_does():
    longest = Settings().drain_seconds + Settings().kill_seconds + 5
    graces = [each["spec"]["template"]["spec"] for each in MANIFESTS if each["kind"] == "Deployment"]

    assert min(pod["terminationGracePeriodSeconds"] for pod in graces) > longest
    assert int(SERVICES["server"]["stop_grace_period"].removesuffix("s")) > longest
    assert int(re.findall(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)[0]) > longest


def test_probes_ask_what_there_is_on_the_port_that_is_served():
    (server,) = [each for each in containers() if each["name"] == "server"]

    assert server["ports"] == [{"name": "http", "containerPort": 8070}]
    assert server["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert server["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert "http://127.0.0.1:8070/healthz" in DOCKERFILE
    assert "EXPOSE 8070" in DOCKERFILE


def test_the_image_has_the_packages_that_were_tested():
    image, whole = locked("deploy/requirements.lock"), locked("requirements.lock")

    assert image == {name: whole[name] for name in image}
    assert {"litestar", "psycopg", "prometheus-client", "hatchling"} <= image.keys()


def test_autoscalers_read_fields_that_the_backlog_has():
    texts = [page.read_text("utf-8") for page in (ROOT / "docs").rglob("*.md")]

    named = {each for text in texts for each in re.findall(r'valueLocation: "?(\w+)', text)}

    assert named
    assert named <= set(Backlog.__struct_fields__)


def test_nothing_is_installed_from_an_index_that_does_not_have_it():
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text("utf-8")

    assert re.findall(r"pip install '([^\[]*)\[", page) == ["."], "holdfast is on no index yet"
