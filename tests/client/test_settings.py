"""Settings: from a file, the environment and arguments; a bad one is refused with where it came from."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from holdfast import Holdfast
from holdfast.errors import BadFile, BadOption, UnknownSetting
from holdfast.settings import Settings, read_settings


def read(folder: Path, toml: str = "", environment: dict[str, str] | None = None, **given: Any) -> Settings:
    if toml:
        (folder / "holdfast.toml").write_text(toml, encoding="utf-8")
    return read_settings(given, environment or {}, folder)


def test_arguments_win_over_the_environment_and_the_environment_over_the_file(tmp_path: Path) -> None:
    toml = 'url = "sqlite:///file.db"\nnamespace = "file"\nthreads = 3\n[queues]\nmail = 2\n'
    environment = {"HOLDFAST_URL": "sqlite:///env.db", "HOLDFAST_NAMESPACE": "env", "OTHER": "x"}

    settings = read(tmp_path, toml, environment, url="sqlite:///argument.db", concurrency=None)

    assert (settings.url, settings.namespace, settings.threads) == ("sqlite:///argument.db", "env", 3)
    assert (settings.queues, settings.concurrency) == ({"mail": 2}, Settings().concurrency)


def test_numbers_in_the_environment_are_read_as_numbers(tmp_path: Path) -> None:
    environment = {
        "HOLDFAST_THREADS": "8",
        "HOLDFAST_LEASE_SECONDS": "2.5",
        "HOLDFAST_MAX_PAYLOAD_BYTES": "100",
    }

    settings = read(tmp_path, environment=environment)

    assert (settings.threads, settings.lease, settings.max_payload_bytes) == (
        8,
        dt.timedelta(seconds=2.5),
        100,
    )


def test_queues_in_the_environment_are_read_as_json(tmp_path: Path) -> None:
    assert read(tmp_path, environment={"HOLDFAST_QUEUES": '{"gpu": 1}'}).queues == {"gpu": 1}


@pytest.mark.parametrize(
    ("toml", "environment", "given", "named"),
    [
        ("", {"HOLDFAST_QUEUES": "gpu=1"}, {}, "queues in the environment"),
        ("", {}, {"namespace": "a\x00b"}, "namespace"),
        ("colour = 1", {}, {}, "holdfast.toml has no setting 'colour'; there are allowed_addresses"),
        ('threads = "3"', {}, {}, "threads in holdfast.toml is '3', but must be a whole number"),
        ("threads = ", {}, {}, "holdfast.toml"),
        (
            "",
            {"HOLDFAST_THREADS": "many"},
            {},
            "the variable HOLDFAST_THREADS is 'many'",
        ),
        ("", {}, {"threads": "3"}, r"threads in Holdfast\(...\) is '3', but must be a whole number"),
        ("", {}, {"colour": "red"}, r"Holdfast\(...\) has no setting 'colour'"),
        ("threads = 0", {}, {}, "threads"),
        ("threads =", {}, {}, r"/holdfast\.toml: not TOML \(Invalid value \(at "),
        ("", {"HOLDFAST_CONCURRENCY": "-1"}, {}, "concurrency"),
        ("", {}, {"max_payload_bytes": 0}, "max_payload_bytes"),
        ("", {}, {"max_resident": 0}, "max_resident"),
        ("", {}, {"lease_seconds": 0}, "lease_seconds"),
        ("", {}, {"lease_seconds": float("nan")}, "lease_seconds"),
        ("", {}, {"drain_seconds": -1}, "drain_seconds"),
        ("", {}, {"open_seconds": float("inf")}, "open_seconds"),
        ("", {}, {"queues": {"mail": 0}}, r"queues\['mail'\]"),
        ("", {}, {"namespace": ""}, "namespace"),
        ("", {}, {"trusted_proxies": "*"}, "trusted_proxies"),
        ("", {}, {"trusted_proxies": "10.0.0.1, proxy.example"}, "trusted_proxies"),
        ("", {}, {"trusted_proxies": "10.0.0.1/8"}, "trusted_proxies"),
    ],
)
def test_a_bad_setting_is_refused_with_its_name_or_its_place(
    tmp_path: Path, toml: str, environment: dict[str, str], given: dict[str, Any], named: str
) -> None:
    with pytest.raises(BadOption, match=named):
        read(tmp_path, toml, environment, **given)


def test_addresses_and_networks_of_proxies_are_taken(tmp_path: Path) -> None:
    assert read(tmp_path, "", {}, trusted_proxies="10.0.0.1, 10.1.0.0/16,::1").trusted_proxies


def test_settings_are_shown_without_the_password_of_the_database() -> None:
    for url in ("postgresql://ann:s3cret@db/holdfast", "postgresql://ann@db/holdfast?password=s3cret"):
        shown = repr(Settings(url=url))
        assert "s3cret" not in shown
        assert "ann" in shown


def test_a_settings_file_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "holdfast.toml").mkdir()

    with pytest.raises(BadFile, match=r"/holdfast\.toml: this is a folder, not a file$"):
        read_settings({}, {}, tmp_path)


def test_an_unknown_setting_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=r"has no setting 'colour'; there are allowed_addresses, .*, url"):
        read(tmp_path, colour="red")


def test_a_setting_that_is_misspelt_says_which_was_meant(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting, match=r"has no setting 'thread'; did you mean 'threads'\?"):
        read(tmp_path, thread=3)


async def test_holdfast_reads_the_environment_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "holdfast.toml").write_text('namespace = "from-file"', encoding="utf-8")
    monkeypatch.setenv("HOLDFAST_URL", f"sqlite:///{tmp_path}/from-environment.db")

    async with Holdfast(engine=False) as hf:
        assert hf.namespace == "from-file"

    assert (tmp_path / "from-environment.db").exists()
    with pytest.raises(BadOption, match="threads"):
        Holdfast(threads=0)


async def test_without_settings_there_is_a_file_in_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOLDFAST_URL", raising=False)

    async with Holdfast(engine=False):
        pass

    assert (tmp_path / ".holdfast" / "holdfast.db").exists()


def test_a_variable_that_is_nearly_a_setting_is_told(caplog: pytest.LogCaptureFixture) -> None:
    variables = {
        "HOLDFAST_METIRCS": "true",
        "HOLDFAST_SECRET_KEYS": "x",
        "HOLDFAST_ENCRYPTION_KEY_K1": "x",
        "HOLDFAST_PORT_8080_TCP": "tcp://10.0.0.1:8080",
        "HOLDFAST_RUN_ID": "a",
    }

    assert read_settings({}, variables) == read_settings({}, {})
    read_settings({}, variables)

    said = [each.getMessage() for each in caplog.records]
    assert said == ["HOLDFAST_METIRCS is no setting; did you mean HOLDFAST_METRICS?"]
