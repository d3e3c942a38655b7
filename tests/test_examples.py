"""The examples do what they say, from any directory, and leave nothing behind."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, blocks_of
from tests.docs.run_page import add_to_flow
from tests.patience import PATIENCE

import holdfast
from holdfast.authoring.flow.comparison import compare_flows
from holdfast.authoring.flow.loader import load_flow_file

DEMO = Path(__file__).parent.parent / "examples" / "demo.py"
DEMO_DAG = DEMO.with_name("demo_dag.py")
DEMO_FLOW = DEMO.with_name("demo_flow.py")
TUTORIAL = ROOT / "docs" / "tutorial-flow.md"


def play(folder: Path, *arguments: str, demo: Path = DEMO) -> str:
    """Run the demo in `folder`, with its temporary files in there too, and give what it printed."""
    environment = {
        **os.environ,
        "TMPDIR": str(folder),
        "PYTHONPATH": str(Path(holdfast.__file__).parent.parent),
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        [sys.executable, str(demo), *arguments],
        cwd=folder,
        check=False,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=2 * PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    return done.stdout


def test_the_demo_kills_a_process_and_another_one_finishes_and_nothing_is_left_behind(tmp_path: Path):
    shown = play(tmp_path)

    assert re.search(r"kill -9 \d+", shown)
    assert "order-42 is running\n    ✓ check_stock  ✓ charge  ✓ pack tea  ✓ pack pot  ↻ pack cup" in shown
    assert "↻ pack cup  attempt 2, same idempotency key" in shown
    assert "6 tasks were begun 7 times; of the 4 recorded before the crash, 0 were done again  ✓" in shown
    assert "receipt for 42.00, 3 parcels on their way" in shown
    assert "\x1b" not in shown, "colours are for terminals"
    assert list(tmp_path.iterdir()) == []


def test_the_demo_of_a_dag_kills_it_resumes_it_and_counts_what_was_done_again(tmp_path: Path):
    shown = play(tmp_path, demo=DEMO_DAG)

    assert re.search(r"kill -9 \d+", shown)
    assert re.search(r"[1-9]\d* tasks were recorded before the crash, 0 of them were done again", shown)
    assert '"cents": 262890' in shown
    assert list(tmp_path.iterdir()) == []


def test_the_demo_of_a_flow_kills_it_at_work_and_while_it_waits_and_counts_what_was_done(tmp_path: Path):
    shown = play(tmp_path, demo=DEMO_FLOW)

    assert re.search(r"kill -9 \d+: it is gone while it works", shown)
    assert re.search(r"kill -9 \d+: it is gone while it waits", shown)
    assert '"parcel": "1 on their way"' in shown
    assert re.search(r"fraud +done (once|2 times)", shown), "the machine may be too busy to kill it in time"
    assert len(re.findall(r"(price|stock|charge|ship) +done once", shown)) == 4
    assert list(tmp_path.iterdir()) == []


def test_the_flow_among_the_examples_is_the_one_that_the_tutorial_ends_with(tmp_path: Path):
    text = TUTORIAL.read_text("utf-8")
    blocks = [block for block in blocks_of(text) if block.title is not None]

    for block in blocks:
        path = tmp_path / str(block.title)
        add_to_flow(path, block.code) if block.is_added else path.write_text(block.code, "utf-8")

    example = DEMO.parent / "flow"
    ends_with = load_flow_file(tmp_path / "order.yaml")
    assert compare_flows(load_flow_file(example / "order.yaml"), ends_with) == []
    assert (example / "shop.py").read_text("utf-8") == (tmp_path / "shop.py").read_text("utf-8")


def test_the_demo_keeps_its_database_if_asked_and_says_how_to_look_into_it(tmp_path: Path):
    shown = play(tmp_path, "--keep")

    command = re.search(r"sqlite3 (\S+) '(.+)'", shown)
    assert command is not None
    with sqlite3.connect(command[1]) as connection:
        rows = connection.execute(command[2]).fetchall()
    connection.close()
    assert [(name, status, attempt) for _, name, status, attempt, _ in rows] == [
        ("check_stock", "success", 1),
        ("charge", "success", 1),
        ("pack", "success", 1),
        ("pack", "success", 1),
        ("pack", "success", 2),
        ("ship", "success", 1),
    ]


@pytest.mark.parametrize("example", sorted(DEMO.parent.glob("*.py")), ids=lambda path: path.name)
def test_an_example_says_at_its_top_what_it_shows(example: Path):
    assert example.read_text(encoding="utf-8").startswith('"""')
