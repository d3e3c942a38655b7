"""Tasks with secrets, as users have them: what they get, and what is found of it afterwards."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import datetime as dt
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Catalog, Holdfast, Retry, RunFailed, context, task_context
from holdfast.errors import SecretNotDeclared, SecretNotFound

VALUE = "sk_live_51H8xQz/7+Tz=99"
SOON = dt.timedelta(milliseconds=1)
FORMS = [VALUE, base64.b64encode(VALUE.encode()).decode()[:-4], VALUE[:12]]
"""Nor may half of it be there."""

catalog = Catalog()


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_SECRET_STRIPE_KEY", VALUE)


@pytest.fixture
def place(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/secrets.db"


def assert_nowhere(folder: Path, printed: str) -> None:
    """Neither the files of the database nor what was printed have the value."""
    everything = b"".join(file.read_bytes() for file in folder.glob("secrets.db*")) + printed.encode()
    assert b"***STRIPE_KEY***" in everything
    for form in FORMS:
        assert form.encode() not in everything


@holdfast.task(secrets=["STRIPE_KEY"], catalog=catalog)
async def leak_on_the_loop(how: str) -> Any:
    return _leak(how)


@holdfast.task(secrets=["STRIPE_KEY"], catalog=catalog)
def leak_on_a_thread(how: str) -> Any:
    return _leak(how)


def _leak(how: str) -> Any:
    value = task_context().secret("STRIPE_KEY")
    assert value == VALUE
    match how:
        case "return":
            return {value: [f"key={value}", base64.b64encode(f"user:{value}".encode())]}
        case "print":
            print("the key is", value, "or", repr(value))
            print(value, file=sys.stderr)
        case "print in pieces":
            for letter in value:
                print(letter, end="")
                time.sleep(0)
            print("x" * (16 * 1024 - 5) + value)
        case "log":
            logging.getLogger("shop").warning("key %s", value)
            task_context().logger.info("as json: %r", {"key": value})
        case "log in pieces":
            task_context().logger.info("%s", value[:9])
            task_context().logger.info("%s", value[9:])
        case "log a traceback":
            try:
                raise RuntimeError(f"bad key {value}")
            except RuntimeError:
                logging.getLogger("shop").exception("it failed")
        case "raise":
            raise RuntimeError(f"bad key {value}", value) from ValueError(value)
        case "publish":
            task_context().publish("keys", {"key": value})
        case "beat":
            task_context().heartbeat({"key": value})
            raise RuntimeError("once more")
        case _:
            raise AssertionError(how)
    return None


@holdfast.workflow(catalog=catalog)
async def leaking(how: str, place: str) -> Any:
    task = leak_on_the_loop if place == "loop" else leak_on_a_thread
    if how == "beat":
        return await task.options(retry=Retry(max_attempts=2, first_delay=SOON))(how)
    return await task(how)


WAYS = (
    *("return", "print", "print in pieces", "log", "log in pieces", "log a traceback"),
    *("raise", "publish", "beat"),
)


@pytest.mark.parametrize("where", ["loop", "thread"])
async def test_whatever_a_task_does_with_a_secret_it_is_not_to_be_found(
    place: str, where: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    async with Holdfast(place, catalog=catalog) as hf:
        for how in WAYS:
            run = await hf.start(leaking, how, where)
            with contextlib.suppress(RunFailed):
                await run.result()
            if how not in ("raise", "beat"):
                logged = "".join([line.text for line in await hf.logs(run)])
                items = [item.value async for item in run.stream("keys")] if how == "publish" else ""
                result = await run.result()
                assert "***STRIPE_KEY***" in f"{logged}{items}{result}", how
    assert_nowhere(tmp_path, "".join(capfd.readouterr()))


async def test_a_masked_output_is_still_data_and_the_log_says_what_happened(place: str):
    async with Holdfast(place, catalog=catalog) as hf:
        run = await hf.start(leaking, "return", "loop")

        assert (await run.result())["***STRIPE_KEY***"][0] == "key=***STRIPE_KEY***"
        assert [line.text for line in await hf.logs(run)] == [
            "the output had the value of a secret in it; what is stored has ***NAME*** there instead"
        ]


async def test_an_error_keeps_its_class_and_its_words_without_the_value(place: str):
    async with Holdfast(place, catalog=catalog) as hf:
        run = await hf.start(leaking, "raise", "thread")

        with pytest.raises(RuntimeError, match=r"bad key \*\*\*STRIPE_KEY\*\*\*") as caught:
            await run.result()

    assert VALUE not in repr(caught.value.args)


@holdfast.task(secrets=["NOWHERE"], catalog=catalog, retry=Retry(max_attempts=5))
async def needs_what_is_nowhere() -> None: ...


@holdfast.task(catalog=catalog)
async def asks_without_declaring() -> None:
    task_context().secret("STRIPE_KEY")


@holdfast.workflow(catalog=catalog)
async def one_task(task: str) -> None:
    await (needs_what_is_nowhere() if task == "nowhere" else asks_without_declaring())


async def test_a_missing_secret_fails_the_task_for_good_and_a_retry_finds_it_later(
    place: str, tmp_path: Path
):
    secrets = [f"file:{tmp_path}"]
    async with Holdfast(place, catalog=catalog, secrets=secrets) as hf:
        run = await hf.start(one_task, "nowhere")
        with pytest.raises(SecretNotFound, match="no secret 'NOWHERE' on this node") as caught:
            await run.result()
        assert isinstance(caught.value, RunFailed)

        (tmp_path / "NOWHERE").write_text("now it is here\n")
        await run.retry()

        assert await run.result() is None


async def test_a_secret_that_is_not_declared_is_refused_by_name(place: str):
    async with Holdfast(place, catalog=catalog) as hf:
        with pytest.raises(SecretNotDeclared, match=r"its secrets are none; add it: @task\(secrets="):
            await (await hf.start(one_task, "undeclared")).result()


@holdfast.workflow(catalog=catalog)
async def with_a_step() -> int:
    return await context().step(
        "count", lambda: len(task_context().secret("STRIPE_KEY")), secrets=["STRIPE_KEY"]
    )


async def test_a_step_of_a_workflow_may_have_secrets(place: str):
    async with Holdfast(place, catalog=catalog) as hf:
        assert await (await hf.start(with_a_step)).result() == len(VALUE)


async def test_a_run_that_is_cancelled_while_a_command_is_asked_ends(place: str):
    secrets = ["command:sh -c 'exec sleep 1'"]
    async with Holdfast(place, catalog=catalog, secrets=secrets, secret_command_seconds=5) as hf:
        run = await hf.start(one_task, "nowhere")
        await asyncio.sleep(0.1)
        await run.cancel()

        with pytest.raises(holdfast.RunCancelled):
            async with asyncio.timeout(10):
                await run.result()


DAG = """\
name: leaking-dag
tasks:
  declared:
    command: |
      echo "$STRIPE_KEY"
      printf %s "$STRIPE_KEY" | base64 -w0 >&2
      echo "HOLDFAST_OUTPUT:\\"$STRIPE_KEY\\""
    secrets: [STRIPE_KEY]
  python:
    file: leak.py
    secrets: [STRIPE_KEY]
  undeclared:
    command: 'echo "HOLDFAST_OUTPUT:\\"have <$STRIPE_KEY$HOLDFAST_SECRET_STRIPE_KEY>\\""'
"""

FAILING = """\
name: failing-dag
tasks:
  failing:
    command: 'head -c 16380 /dev/zero | tr "\\\\0" x >&2; echo "$STRIPE_KEY" >&2; exit 3'
    secrets: [STRIPE_KEY]
"""

PYTHON = """\
import os

def main():
    print("python has", os.environ["STRIPE_KEY"])
    return len(os.environ["STRIPE_KEY"]), os.environ["STRIPE_KEY"]
"""


async def test_commands_and_functions_of_dags_get_their_secrets_and_no_others(
    place: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    (tmp_path / "leaking.yaml").write_text(DAG)
    (tmp_path / "leak.py").write_text(PYTHON)
    async with Holdfast(place, catalog=catalog) as hf:
        run = await hf.start(holdfast.load_dag(tmp_path / "leaking.yaml", catalog=catalog))

        assert await run.result() == {
            "declared": "***STRIPE_KEY***",
            "python": [len(VALUE), "***STRIPE_KEY***"],
            "undeclared": "have <>",
        }
        logged = [line.text for line in await hf.logs(run)]
        assert "***STRIPE_KEY***" in logged
        assert "python has ***STRIPE_KEY***" in logged
    assert_nowhere(tmp_path, "".join(capfd.readouterr()))


async def test_commands_get_nothing_that_is_for_the_server_alone(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOLDFAST_OIDC_CLIENT_SECRET", "for-the-server")
    monkeypatch.setenv("HOLDFAST_ENCRYPTION_KEY_k1", "for-the-server, too")
    monkeypatch.setenv("OTHER", "for all")
    dag = """\
name: asking
tasks:
  ask:
    command: 'echo "HOLDFAST_OUTPUT:\\"$HOLDFAST_OIDC_CLIENT_SECRET$HOLDFAST_ENCRYPTION_KEY_k1$OTHER\\""'
"""
    (tmp_path / "asking.yaml").write_text(dag)
    async with Holdfast(place, catalog=catalog) as hf:
        run = await hf.start(holdfast.load_dag(tmp_path / "asking.yaml", catalog=catalog))

        assert await run.result() == {"ask": "for all"}


async def test_the_end_of_what_a_failed_command_wrote_has_no_value_in_it(
    place: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    (tmp_path / "failing.yaml").write_text(FAILING)
    async with Holdfast(place, catalog=catalog) as hf:
        run = await hf.start(holdfast.load_dag(tmp_path / "failing.yaml", catalog=catalog))
        with pytest.raises(RunFailed, match="exited with code 3") as caught:
            await run.result()

        assert "***STRIPE_KEY***" in caught.value.traceback_text
    assert_nowhere(tmp_path, "".join(capfd.readouterr()))


def test_a_secret_of_a_task_that_runs_in_no_process_is_a_mistake_in_the_file(tmp_path: Path):
    (tmp_path / "bad.yaml").write_text("tasks:\n  wait: {sleep: 1s, secrets: [KEY]}\n")

    with pytest.raises(holdfast.BadDag, match="secrets"):
        holdfast.load_dag(tmp_path / "bad.yaml")


FLOW: dict[str, Any] = {
    "start": "say",
    "nodes": {
        "say": {
            "kind": "executor",
            "exec_type": "local_script",
            "script": {
                "cmd": "sh",
                "args": ["-c", 'echo "$STRIPE_KEY" >&2; echo "{\\"key\\": \\"$STRIPE_KEY\\"}"'],
                "secrets": ["STRIPE_KEY"],
            },
        }
    },
}


async def test_a_script_of_a_flow_gets_its_secrets(place: str, tmp_path: Path):
    (tmp_path / "flow.json").write_text(json.dumps({"name": "leaking-flow", **FLOW}))
    async with Holdfast(place, catalog=catalog) as hf:
        run = await hf.start(holdfast.load_flow(tmp_path / "flow.json", catalog=catalog))

        await run.result()

        assert "***STRIPE_KEY***" in [line.text for line in await hf.logs(run)]
