"""`holdfast update`: the answer, and every way to get none."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.cli.processes import Project, eventually

CODE = """\
from holdfast import context, workflow

@workflow
async def cart() -> list[str]:
    items = []

    def add(item: str) -> int:
        if item == "boom":
            raise KeyError("boom")
        items.append(item)
        return len(items)

    def check(item: str) -> None:
        if item == "bad":
            raise ValueError("no such thing")

    context().on_update("add", add, validator=check)
    await context().wait_until(lambda: len(items) == 3)
    return items
"""


@pytest.fixture
def shop(project: Project) -> Iterator[Project]:
    project.write("shop.py", CODE)
    process = project.start("run", "shop:cart", "--id", "mine")
    eventually(lambda: project.run("runs", "show", "mine").returncode == 0)
    yield project
    process.kill()
    process.communicate()


def test_an_update_prints_its_answer(shop: Project):
    first = shop.run("update", "mine", "add", '"tea"')
    second = shop.ask("update", "mine", "add", '"tea"', "--message-id", "m", "--timeout", "30s")
    again = shop.ask("update", "mine", "add", '"tea"', "--message-id", "m")

    assert (first.returncode, first.stdout) == (0, "1\n"), first.stderr
    assert second == again == {"run": "mine", "update": "add", "message_id": "m", "answer": 2}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("add", '"bad"'), 2, "error: run 'mine' refuses update 'add': no such thing"),
        (("remove", '"tea"'), 2, "it has no handler of that name; it has 'add'"),
        (("add", "nonsense"), 2, "must be JSON"),
        (("add", '"tea"', "--timeout", "soon"), 2, "--timeout is 'soon', but must be a span"),
        (("add", '"boom"'), 1, "error: KeyError: 'boom'"),
    ],
)
def test_an_update_that_is_not_answered_says_why(
    shop: Project, words: tuple[str, ...], code: int, message: str
):
    done = shop.run("update", "mine", *words)

    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr


def test_an_update_that_takes_too_long_says_how_to_ask_again(shop: Project):
    assert shop.run("runs", "pause", "mine").returncode == 0

    done = shop.run("update", "mine", "add", '"tea"', "--timeout", "1s", "--message-id", "late")
    listed = json.loads(shop.run("runs", "show", "mine", "--json").stdout)

    assert done.returncode == 1
    assert done.stderr.endswith("to get the answer, send it again with --message-id late\n")
    assert listed["status"] == "paused"
