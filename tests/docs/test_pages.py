"""Every block of code in the documentation does what the page says."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.docs.pages import ROOT, blocks_of, pages, prints_as_shown

import holdfast

RUNNER = Path(__file__).parent / "run_page.py"
POSTGRES = "postgresql://localhost/shop"
"""What pages write where a server is meant. Here it becomes the URL of a real one."""

PORT = "8070"
"""Where pages serve the API. Here it is one that is free, since several pages and tests run at once."""

SHORTER = {
    "docs/tutorial-simulation.md": {
        "print(simulate(order, 250, seeds=500": "print(simulate(order, 250, seeds=100",
        "500 seeds, ...": "100 seeds, ...",
    }
}
"""What finds nothing finds nothing in fewer tries as well."""

HAVE_CODE = [
    page
    for page in pages()
    if re.search(r"^```(python|sh|toml|yaml|json)", page.read_text("utf-8"), re.MULTILINE)
    and page.name != "STYLE.md"  # it shows fragments, some of them as they should not be
]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def run_page(
    page: Path, folder: Path, replacements: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    bin = str(Path(sys.executable).parent)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")},
        "PATH": bin + os.pathsep + os.environ["PATH"],
        "PYTHONPATH": str(Path(holdfast.__file__).parent.parent),
        "PYTHONIOENCODING": "utf-8",
        "PYTHONWARNINGS": "error",
    }
    return subprocess.run(
        [sys.executable, str(RUNNER), str(page), *chain(*(replacements or {}).items())],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture
def postgres_template() -> str:
    """One without tables, as readers have it."""
    return "template1"


@pytest.fixture
def sqlite_template() -> None:
    """No file, for the same reason."""


@pytest.mark.parametrize("page", HAVE_CODE, ids=name_of)
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
):
    needs_postgres = POSTGRES in page.read_text("utf-8")
    replacements = {POSTGRES: request.getfixturevalue("postgres_url")} if needs_postgres else {}
    replacements[PORT] = str(_free_port())

    done = run_page(page, tmp_path, replacements | SHORTER.get(name_of(page), {}))

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_inside_the_documentation_lead_somewhere(page: Path):
    text = page.read_text("utf-8")

    links = re.findall(r"\]\((?!https?:)([^)\s]+)\)", text)

    for link in links:
        path, _, anchor = link.partition("#")
        target = (page.parent / unquote(path)).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE)
            assert anchor in [slug(heading) for heading in headings], f"{link} leads to no heading"


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_a_page_that_shows_what_is_not_printed_fails_and_names_the_line(tmp_path: Path):
    page = tmp_path / "wrong.md"
    page.write_text("# A page\n\n```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "utf-8")

    done = run_page(page, tmp_path)

    assert done.returncode != 0
    assert "wrong.md, line 4" in done.stderr


def test_a_page_whose_code_raises_fails_with_the_line_of_the_page(tmp_path: Path):
    page = tmp_path / "broken.md"
    page.write_text("# A page\n\nSome words.\n\n```python\nawait 3\n```\n", "utf-8")

    done = run_page(page, tmp_path)

    assert done.returncode != 0
    assert "line 6" in done.stderr


def test_a_page_with_a_flow_that_cannot_be_loaded_fails_and_names_the_line(tmp_path: Path):
    page = tmp_path / "flow.md"
    page.write_text("# A page\n\n```yaml\nstart: a\nnodes: {b: {kind: timer}}\n```\n", "utf-8")

    done = run_page(page, tmp_path)

    assert done.returncode != 0
    assert "flow.md, line 4" in done.stderr
    assert "no node 'a'" in done.stderr


def test_what_a_page_adds_to_a_flow_is_in_the_file_and_takes_the_place_of_what_was_there(tmp_path: Path):
    page = tmp_path / "grow.md"
    page.write_text(
        """```yaml title="grow.yaml"
start: a
nodes: {a: {kind: timer}, b: {kind: timer}}
edges: [{from: a, to: b}]
```

```yaml add="grow.yaml"
nodes: {c: {kind: timer}}
edges: [{from: a, to: c}, {from: c, to: b}]
```

```sh
holdfast run grow.yaml 2>&1 | grep -o '. success after'
```

```text
a success after
c success after
b success after
```
""",
        "utf-8",
    )

    done = run_page(page, tmp_path)

    assert done.returncode == 0, done.stderr


def test_a_fence_that_is_never_closed_is_an_error_and_not_text():
    with pytest.raises(ValueError, match="not closed"):
        blocks_of("```python\nprint(1)\n")


def test_a_language_that_nothing_is_done_with_is_an_error():
    with pytest.raises(ValueError, match=r"line 3: cannot understand '```output'"):
        blocks_of("```python\n```\n```output\nnever compared\n```\n")


def test_dots_in_a_page_stand_for_anything_and_all_else_is_compared():
    assert prints_as_shown("run 0190\nended\n", "run ...\nended")
    assert not prints_as_shown("run 0190\nfailed\n", "run ...\nended")


def test_almost_nothing_is_shown_without_being_run():
    unchecked = [
        block for page in pages() for block in blocks_of(page.read_text("utf-8")) if not block.is_run
    ]

    assert len(unchecked) <= 3
