from __future__ import annotations

import sys
from pathlib import Path

import pytest

from holdfast.core.secret_names import read_sources
from holdfast.errors import BadSecret, SecretNotFound, SecretUnreadable
from holdfast.secret_sources import SecretSources


def sources(*texts: str, **environment: str) -> SecretSources:
    return SecretSources(read_sources("secrets", texts), environment, command_seconds=5)


def test_the_first_source_that_has_it_counts(tmp_path: Path):
    (tmp_path / "KEY").write_text("from the file\n")

    assert sources("env:", f"file:{tmp_path}", KEY="from env").read(["KEY"]) == {"KEY": "from env"}
    assert sources("env:S_", f"file:{tmp_path}", KEY="from env").read(["KEY"]) == {"KEY": "from the file"}


def test_what_is_nowhere_is_named_with_the_places():
    with pytest.raises(SecretNotFound, match=r"no secret 'KEY' on this node .*as S_….*the folder /nowhere"):
        sources("env:S_", "file:/nowhere").read(["KEY"])


@pytest.mark.parametrize("value", ["", "short", "     a     ", "x" * 70_000])
def test_a_value_that_could_not_be_masked_or_passed_on_is_refused(value: str):
    with pytest.raises(BadSecret, match="'KEY' from the environment"):
        sources("env:", KEY=value).read(["KEY"])


def test_only_variables_are_read_at_once():
    assert sources("env:", KEY="a value").read_at_once(["KEY"]) == {"KEY": "a value"}
    assert sources("env:", "file:/nowhere", KEY="a value").read_at_once(["KEY"]) is None


def test_variables_with_secrets_are_not_for_other_processes():
    kept = sources("env:S_").without_secrets({"S_KEY": "a value", "PATH": "/bin"})

    assert kept == {"PATH": "/bin"}


def test_a_command_is_asked_once_for_a_while(tmp_path: Path):
    program = tmp_path / "read.py"
    program.write_text(
        "import sys, pathlib\n"
        f"count = pathlib.Path({str(tmp_path / 'count')!r})\n"
        "count.write_text(count.read_text() + 'x' if count.exists() else 'x')\n"
        "print(f'value of {sys.argv[1]}')\n"
    )
    reader = sources(f"command:{sys.executable} {program}")

    assert reader.read(["KEY"]) == reader.read(["KEY"]) == {"KEY": "value of KEY"}
    assert (tmp_path / "count").read_text() == "x"


def test_a_command_that_fails_says_so_and_is_no_missing_secret():
    with pytest.raises(SecretUnreadable, match="exited with code 3: sealed"):
        sources("command:sh -c 'echo sealed >&2; exit 3'").read(["KEY"])
    with pytest.raises(SecretUnreadable, match="No such file"):
        sources("command:/no/such/program").read(["KEY"])


def test_a_command_that_hangs_is_ended():
    reader = SecretSources(
        read_sources("secrets", ["command:sh -c 'exec sleep 60'"]), {}, command_seconds=0.1
    )

    with pytest.raises(SecretUnreadable, match=r"did not end within 0\.1 s"):
        reader.read(["KEY"])
