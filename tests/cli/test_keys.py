"""`holdfast keys` and `holdfast audit`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.processes import Project

from holdfast.core.keys import read_key


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def as_json(project: Project, *words: str) -> Any:
    done = project.run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(project: Project, *words: str) -> str:
    done = project.run(*words)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    return done.stderr


def test_the_key_goes_to_stdout_alone_and_the_explanation_to_stderr(project: Project) -> None:
    done = project.run("keys", "create", "deploy", "--role", "operator", "--expires", "90d", "--by", "ann")

    parts = read_key(done.stdout.removesuffix("\n"))
    assert parts is not None
    assert f"key {parts.id} of deploy: operator in namespace default, good until 20" in done.stderr
    assert f"holdfast keys revoke {parts.id}" in done.stderr
    assert parts.secret not in done.stderr


def test_keys_are_made_listed_and_revoked(project: Project) -> None:
    new = as_json(project, "keys", "create", "deploy", "--role", "worker", "--by", "ann")
    assert read_key(new["text"]) is not None
    assert new["info"]["expires_at"] is None

    [listed] = as_json(project, "keys", "list")
    assert listed == new["info"]
    assert (listed["state"], listed["role"], listed["created_by"]) == ("active", "worker", "ann")

    told = project.run("keys", "revoke", listed["id"], "--by", "bob").stderr
    assert f"key {listed['id']} of deploy is revoked since 20" in told
    [revoked] = as_json(project, "keys", "list")
    assert (revoked["state"], revoked["revoked_by"]) == ("revoked", "bob")
    shown = project.run("keys", "list").stdout
    assert all(word in shown for word in (listed["id"], "revoked", "worker", "deploy"))
    assert new["text"] not in shown


def test_a_key_of_all_namespaces_is_seen_only_if_it_is_asked_for(project: Project) -> None:
    new = as_json(project, "keys", "create", "ops", "--role", "admin", "--all-namespaces")
    id = new["info"]["id"]

    assert new["info"]["namespace"] == "*"
    assert as_json(project, "keys", "list") == []
    assert [each["id"] for each in as_json(project, "keys", "list", "--all-namespaces")] == [id]
    assert "--all-namespaces" in refusal(project, "keys", "revoke", id)
    assert as_json(project, "keys", "revoke", id, "--all-namespaces")["state"] == "revoked"


def test_another_namespace_has_keys_of_its_own(project: Project) -> None:
    new = as_json(project, "keys", "create", "deploy", "--role", "viewer", "--namespace", "theirs")

    assert "no keys" in project.run("keys", "list").stderr
    assert f"no key '{new['info']['id']}'" in refusal(project, "keys", "revoke", new["info"]["id"])
    assert len(as_json(project, "keys", "list", "--namespace", "theirs")) == 1
    assert as_json(project, "audit") == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--role", "root"), "one of viewer, operator, admin, worker"),
        ((), "--role"),
        (("--role", "viewer", "--expires", "soon"), "--expires"),
        (("--role", "viewer", "--expires", "0s"), "expires"),
        (("--role", "viewer", "--namespace", "*"), "stands for all namespaces"),
    ],
)
def test_what_is_wrong_is_refused(project: Project, words: tuple[str, ...], told: str) -> None:
    assert told in refusal(project, "keys", "create", "deploy", *words)


def test_the_audit_log_says_who_has_made_and_revoked_a_key(project: Project) -> None:
    new = as_json(project, "keys", "create", "deploy", "--role", "viewer", "--by", "ann")
    as_json(project, "keys", "create", "other", "--role", "viewer", "--by", "cem")
    id = new["info"]["id"]
    project.run("keys", "revoke", id, "--by", "bob")

    rows = as_json(project, "audit", "--target", id)
    assert [(row["by"], row["action"], row["after"]["state"]) for row in rows] == [
        ("bob", "keys.revoke", "revoked"),
        ("ann", "keys.create", "active"),
    ]
    assert new["text"].rpartition("_")[2] not in json.dumps(rows)
    assert [row["by"] for row in as_json(project, "audit", "--action", "keys.create")] == ["cem", "ann"]

    first = project.run("audit", "--limit", "2")
    assert "there may be more: --after 2" in first.stderr
    assert [row["by"] for row in as_json(project, "audit", "--limit", "2", "--after", "2")] == ["ann"]
    assert "keys.revoke" in first.stdout
    assert "no such rows" in project.run("audit", "--target", "nobody").stderr
