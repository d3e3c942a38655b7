"""What sets up a checkout agrees with pyproject.toml: the lock files, and the Pythons that CI runs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CLASSIFIER = "Programming Language :: Python :: "


def test_ci_runs_on_every_python_that_the_package_names():
    named = [it.removeprefix(CLASSIFIER) for it in PROJECT["classifiers"] if it.startswith(CLASSIFIER)]
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))

    (job,) = workflow["jobs"].values()

    assert job["strategy"]["matrix"]["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"
    assert job["steps"][-1] == {"run": "bash .ci/run"}


def locked(file: str) -> dict[str, str]:
    """The packages of a lock file, each with its version, its marker and its hashes."""
    text = re.sub(r"^ *#.*\n", "", (ROOT / file).read_text("utf-8"), flags=re.MULTILINE)
    entries = re.findall(r"^(\S+?)(==(?:.*\\\n)*.*\n)", text, re.MULTILINE)
    return {name: " ".join(rest.split()) for name, rest in entries}


def test_the_lock_of_the_demo_is_a_part_of_the_whole_lock():
    demo, whole = locked("requirements-demo.lock"), locked("requirements.lock")

    assert demo == {name: whole[name] for name in demo}
    assert len(demo) < len(whole) / 2


def test_the_lock_of_the_demo_has_what_the_package_needs():
    needed = [re.match(r"[\w.-]+", it) for it in PROJECT["dependencies"]]

    missing = {name[0] for name in needed if name} - locked("requirements-demo.lock").keys()

    assert missing == set()
