"""`holdfast init`: a project that works, and that harms nothing which was there."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.cli.file_commands import Done, call, command, environment, execute
from tests.cli.processes import SECONDS
from tests.docs.pages import ROOT

FILES = [".gitignore", "README.md", "etl.py", "etl.yaml", "process.sh"]


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


# --- writing


def test_it_writes_the_project_and_says_what_to_do_next(tmp_path: Path):
    done = execute("init", cwd=tmp_path)

    assert (done.code, done.err) == (0, "")
    assert names_in(tmp_path) == FILES
    assert (
        done.out
        == "".join(f"wrote {name}\n" for name in FILES) + "\nNow run it:\n\n    holdfast run etl.yaml\n"
    )
    assert (tmp_path / "process.sh").stat().st_mode & stat.S_IXUSR


def test_programs_are_told_of_each_file(tmp_path: Path):
    done = call("init", "shop", "--json", cwd=tmp_path)

    assert (done.code, done.err) == (0, "")
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"wrote": f"shop/{name}"} for name in FILES
    ]


def test_a_folder_that_is_not_there_is_made_and_named_in_what_to_do_next(tmp_path: Path):
    done = call("init", "my projects/first", cwd=tmp_path)

    assert done.code == 0
    assert names_in(tmp_path / "my projects" / "first") == FILES
    assert done.out.endswith("    cd 'my projects/first'\n    holdfast run etl.yaml\n")


def test_files_that_are_there_are_named_and_nothing_is_written(tmp_path: Path):
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "etl.py").write_text("mine")

    done = call("init", cwd=tmp_path)

    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: README.md, etl.py are there already; overwrite them with --force, or name another folder\n"
    )
    assert names_in(tmp_path) == ["README.md", "etl.py"]
    assert (tmp_path / "README.md").read_text() == "mine"


def test_with_force_they_are_overwritten_and_others_are_left_alone(tmp_path: Path):
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text("mine")
    project = tmp_path / "project"
    project.mkdir()
    (project / "README.md").write_text("old")
    (project / "notes.md").write_text("mine")
    (project / "etl.py").symlink_to(elsewhere)

    done = call("init", "project", "--force", cwd=tmp_path)

    assert done.code == 0
    assert (project / "README.md").read_text() != "old"
    assert (project / "notes.md").read_text() == "mine"
    assert elsewhere.read_text() == "mine", "a link is replaced, and not written through"


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path):
    (tmp_path / "here").write_text("mine")

    done = call("init", "here", "--force", cwd=tmp_path)

    assert done == (2, "", "error: 'here' is a file; name a folder, or one that is not there yet\n")
    assert (tmp_path / "here").read_text() == "mine"


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path):
    (tmp_path / "etl.py").mkdir()

    done = call("init", "--force", cwd=tmp_path)

    assert done == (2, "", "error: a folder is in the way: etl.py\n")
    assert names_in(tmp_path) == ["etl.py"]


def test_a_place_that_cannot_be_written_is_an_error_in_one_line(tmp_path: Path):
    (tmp_path / "file").touch()

    done = call("init", "file/below", cwd=tmp_path)

    assert done.code == 2
    assert re.fullmatch(r"error: '[^\n]+' cannot be written: Not a directory\n", done.err)


# --- the project


def test_the_example_of_the_repository_is_what_it_writes(tmp_path: Path):
    call("init", cwd=tmp_path)

    example = ROOT / "examples" / "etl"

    for name in ("README.md", "etl.py", "etl.yaml", "process.sh"):
        assert (example / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_files_are_part_of_what_is_released(kind: str, tmp_path: Path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=SECONDS,
    )

    package = next(tmp_path.iterdir())
    if kind == "wheel":
        with zipfile.ZipFile(package) as wheel:
            names = wheel.namelist()
    else:
        with tarfile.open(package) as archive:
            names = archive.getnames()
    packed = {Path(name).name for name in names if "holdfast/cli/template/" in name}
    assert packed == {"README.md", "etl.py", "etl.yaml", "gitignore", "process.sh"}


def test_it_is_a_workflow_without_problems(tmp_path: Path):
    call("init", cwd=tmp_path)

    assert call("validate", ".", cwd=tmp_path) == (0, "etl.yaml: ok: 4 tasks\n", "")


def make_example(folder: Path) -> None:
    """With its pauses, which are there to be watched, a tenth as long."""
    call("init", cwd=folder)
    for name, pause, shorter in (
        (
            "process.sh",
            "sleep $((1 + HOLDFAST_PARALLEL_INDEX % 3))",
            "sleep 0.$((1 + HOLDFAST_PARALLEL_INDEX % 3))",
        ),
        ("etl.py", "time.sleep(1)", "time.sleep(0.1)"),
        ("etl.yaml", "first_delay: 1,", "first_delay: 0.1,"),
    ):
        text = (folder / name).read_text("utf-8")
        assert pause in text
        (folder / name).write_text(text.replace(pause, shorter), "utf-8")


def run_example(folder: Path, *words: str) -> Done:
    return call("run", "etl.yaml", *words, cwd=folder)


def test_it_runs_with_one_task_tried_again_and_the_rest_at_once(tmp_path: Path):
    make_example(tmp_path)

    done = run_example(tmp_path)

    assert done.code == 0, done.err
    assert json.loads(done.out) == {"report": "reports/2026-01-31.md", "cents": 262890}
    report = (tmp_path / "reports" / "2026-01-31.md").read_text("utf-8")
    assert [line.split("|")[1].strip() for line in report.splitlines()[4:]] == [
        f"shop-{n:02}" for n in range(1, 13)
    ]
    assert re.findall(r"process\[(\d+)\] failed \(attempt 1 of 3\)", done.err) == ["6"]
    assert "shop-07: the connection was lost" in done.err
    assert "alert skipped" in done.err


def test_it_takes_other_inputs_and_publishes_nothing_of_nothing(tmp_path: Path):
    make_example(tmp_path)

    done = run_example(tmp_path, "--input", '{"shops": 0, "day": "2026-02-01"}')

    assert done.code == 0, done.err
    assert json.loads(done.out) == {"report": None, "cents": None}
    assert not (tmp_path / "reports").exists()
    assert "publish skipped" in done.err


def test_a_failure_is_told_by_the_alert_and_by_the_exit_code(tmp_path: Path):
    make_example(tmp_path)
    script = (tmp_path / "process.sh").read_text()
    (tmp_path / "process.sh").write_text(script.replace("set -eu\n", "exit 3\n"))

    done = run_example(tmp_path, "--input", '{"shops": 1}')

    assert done.code == 1
    assert "publish skipped" in done.err
    assert re.search(r"alert \| run \S+ failed; see: holdfast runs show ", done.err)


def test_killed_in_the_middle_it_goes_on_without_doing_anything_twice(tmp_path: Path):
    make_example(tmp_path)
    with subprocess.Popen(
        command("run", "etl.yaml"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        before = ""
        while (
            before.count("success") < 4
        ):  # ends at the end of the output, too: then there is nothing to kill
            line = process.stderr.readline().decode()
            assert line, before
            before += line
        process.kill()

    run = re.search(r"run (\S+) of etl", before)
    assert run is not None
    done = call("run", "--resume", run[1], cwd=tmp_path)

    assert done.code == 0, done.err
    assert json.loads(done.out)["cents"] == 262890
    ended_before = set(re.findall(r"(process\[\d+\]) success", before))
    begun_after = set(re.findall(r"(process\[\d+\]) running", done.err))
    assert len(ended_before) >= 3
    assert not ended_before & begun_after
