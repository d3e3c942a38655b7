"""`holdfast alerts`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.processes import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_rules_are_put_listed_shown_and_deleted(project: Project) -> None:
    words = ("alerts", "put", "ops", "http://127.0.0.1:9/hook", "--on", "failed", "--on", "late")
    put = project.run(*words, "--late-after", "1h30m", "--tag", "shop", "--secret", "HOOK")
    assert put.returncode == 0, put.stderr
    assert "alert ops: failed, late to http://127.0.0.1:9/hook" in put.stderr
    assert "holdfast alerts test ops" in put.stderr

    [listed] = json.loads(project.run("alerts", "list", "--json").stdout)
    assert (listed["name"], listed["on"], listed["late_after"]) == ("ops", ["failed", "late"], 5400.0)
    shown = project.run("alerts", "show", "ops").stdout
    assert all(word in shown for word in ("after 1h30m", "shop", "HOOK", "60 of each kind in a minute"))
    assert "ops" in project.run("alerts", "list").stdout
    audited = project.run("audit", "--target", "ops").stdout
    assert "alerts.put" in audited

    assert "alert ops is deleted" in project.run("alerts", "delete", "ops").stderr
    assert project.run("alerts", "list").stderr.strip().endswith("no alerts")


def test_doctor_tells_of_rules_that_nobody_looks_for(project: Project) -> None:
    project.run("alerts", "put", "ops", "http://127.0.0.1:9/hook", "--on", "failed")
    project.run("runs", "terminate", "holdfast.alerts")
    ill = project.run("doctor", "--json")

    assert ill.returncode == 1
    [found] = json.loads(ill.stdout)
    assert (found["alert"], found["status"]) == ("ops", "overdue")
    assert "nobody looks" in found["problem"]


def test_what_cannot_be_is_refused(project: Project) -> None:
    bad = project.run("alerts", "put", "ops", "http://10.0.0.1/", "--on", "failed")
    late = project.run("alerts", "put", "ops", "http://127.0.0.1/", "--on", "late")
    project.run("keys", "create", "me", "--role", "admin")
    unknown = project.run("alerts", "show", "nobody")

    assert (bad.returncode, late.returncode, unknown.returncode) == (2, 2, 2)
    assert "allowed_addresses" in bad.stderr
    assert "late_after" in late.stderr
    assert "no alert 'nobody'" in unknown.stderr
