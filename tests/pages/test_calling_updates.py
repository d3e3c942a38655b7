"""Updates of a run are called from its page, with a form made from the type of their handler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.pages.browser import Server, expect, needs_browser, opened, serving

pytestmark = needs_browser

PROGRAM: Final = """
import msgspec

from holdfast import context, update, workflow

class Line(msgspec.Struct):
    sku: str
    count: int = 1

    def __post_init__(self) -> None:
        if self.sku == "tea":
            raise ValueError("there is no tea")

@workflow
class Cart:
    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.is_open = False

    def check(self, word: str) -> None:
        if not self.is_open:
            raise ValueError("it is locked")

    @update
    async def add(self, line: Line, number: int = 3, *notes: str) -> str:
        \"\"\"Puts a line into the cart.\"\"\"
        self.lines.append(line)
        return f"{line.count} {line.sku}, {number}, {notes!r}"

    @update
    def unlock(self) -> str:
        self.is_open = True
        return "unlocked"

    @update(validator=check)
    def say(self, word: str) -> str:
        return word.upper()

    async def run(self) -> int:
        context().on_update("late", lambda *given: list(given))
        await context().signal("end")
        return len(self.lines)

@workflow
async def plain() -> None:
    context().on_update("add", lambda number: number + 1)
    await context().signal("end")
"""


@pytest.fixture(scope="module")
def carts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("carts")
    program = folder / "carts.py"
    program.write_text(PROGRAM, encoding="utf-8")
    with serving(folder, orders=0, files=(str(program),)) as server:
        for name in ("filled", "refusing", "listed", "other"):
            server.ask("/runs", {"workflow": "Cart", "id": name})
        server.ask("/runs", {"workflow": "plain", "id": "plain"})
        yield server


async def asked(page: Any) -> Any:
    await page.get_by_role("button", name="Call an update").click()
    return page.get_by_role("dialog")


async def call(dialog: Any) -> None:
    await dialog.get_by_role("button", name="Call the update").click()


async def test_an_update_is_called_with_a_form_that_has_its_defaults(carts: Server):
    async with opened(carts.base, "/runs/filled?tab=messages") as page:
        dialog = await asked(page)
        await expect(dialog).to_contain_text("Puts a line into the cart.")
        await expect(dialog.get_by_label("number", exact=True)).to_have_value("3")
        await dialog.get_by_label("number", exact=True).fill("three")
        await call(dialog)
        await expect(dialog.get_by_text("Expected a whole number, such as 12.")).to_be_visible()
        await expect(dialog.get_by_role("group", name="line")).to_contain_text("This is needed.")

        await dialog.get_by_label("number", exact=True).fill("18446744073709551615")
        await dialog.get_by_label("sku", exact=True).fill("coffee")
        await dialog.get_by_label("count", exact=True).fill("2")
        await dialog.get_by_role("button", name="Add one").click()
        await dialog.get_by_label("notes 1", exact=True).fill("soon")
        await call(dialog)

        await expect(dialog).to_have_count(0)
        said = page.get_by_role("status").filter(has_text="answered")
        await expect(said).to_contain_text("2 coffee, 18446744073709551615, ('soon',)")
        await expect(page.get_by_role("button", name="Call an update")).to_be_focused()
    (message,) = carts.ask("/runs/filled/messages")["items"]
    assert message["value"] == [{"sku": "coffee", "count": 2}, 18446744073709551615, "soon"]


async def test_what_the_run_refuses_is_told_at_the_field_and_can_be_mended(carts: Server):
    async with opened(carts.base, "/runs/refusing?tab=messages", strict=False) as page:
        dialog = await asked(page)
        await dialog.get_by_label("sku", exact=True).fill("tea")
        await call(dialog)

        await expect(dialog.get_by_role("alert")).to_contain_text("refuses update 'add'")
        line = dialog.get_by_role("group", name="line")
        await expect(line).to_contain_text("there is no tea")
        await expect(dialog.get_by_role("button", name="Call the update")).to_be_disabled()

        await dialog.get_by_label("sku", exact=True).fill("milk")
        await expect(line).not_to_contain_text("there is no tea")
        await call(dialog)
        await expect(page.get_by_role("status").filter(has_text="answered")).to_contain_text("1 milk, 3, ()")


async def test_an_update_is_chosen_by_name_and_a_refused_one_is_called_again(carts: Server):
    async with opened(carts.base, "/runs/listed?tab=messages", strict=False) as page:
        dialog = await asked(page)
        names = dialog.get_by_role("combobox", name="update", exact=True)
        await expect(names.get_by_role("option")).to_have_text(["add", "say", "unlock", "another…"])
        await names.select_option("say")
        await dialog.get_by_label("word", exact=True).fill("hello")
        await call(dialog)
        await expect(dialog.get_by_role("alert")).to_contain_text("it is locked")

        await names.select_option("unlock")
        await expect(dialog).to_contain_text("There is nothing to fill in.")
        await names.select_option("say")
        await expect(dialog.get_by_label("word", exact=True)).to_have_value("hello")
        carts.ask("/runs/listed/updates", {"name": "unlock", "message_id": "unlock"})
        await call(dialog)
        await expect(page.get_by_role("status").filter(has_text="answered")).to_contain_text("HELLO")


async def test_any_other_update_is_called_with_json(carts: Server):
    async with opened(carts.base, "/runs/other?tab=messages") as page:
        dialog = await asked(page)
        await dialog.get_by_label("sku", exact=True).fill("milk")
        await dialog.get_by_role("button", name="As JSON").click()
        written = dialog.get_by_label("arguments as JSON")
        await expect(written).to_have_value(re.compile(r'"sku": "milk"'))
        await written.fill('{"line": {"sku": "rice"}, "notes": ["a", "b"]}')
        await call(dialog)
        said = page.get_by_role("status").filter(has_text="answered")
        await expect(said).to_contain_text("1 rice, 3, ('a', 'b')")

        dialog = await asked(page)
        await dialog.get_by_role("combobox", name="update", exact=True).select_option("another…")
        await dialog.get_by_label("name", exact=True).fill("late")
        await dialog.get_by_role("button", name="Add one").click()
        await dialog.get_by_label("arguments 1", exact=True).fill("5")
        await call(dialog)
        await expect(said.filter(has_text="late")).to_contain_text("late answered 5.")


async def test_a_workflow_that_registers_its_handlers_as_it_runs_is_asked_by_name_and_json(carts: Server):
    async with opened(carts.base, "/runs/plain?tab=messages") as page:
        dialog = await asked(page)
        await expect(dialog.get_by_label("name", exact=True)).to_be_focused()
        await expect(dialog.get_by_role("combobox", name="update", exact=True)).to_have_count(0)
        await dialog.get_by_label("name", exact=True).fill("add")
        await dialog.get_by_role("button", name="Add one").click()
        await dialog.get_by_label("arguments 1", exact=True).fill("4")
        await call(dialog)
        await expect(page.get_by_role("status").filter(has_text="answered")).to_contain_text("5")
