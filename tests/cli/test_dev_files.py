"""Which files `holdfast dev` takes for definitions, and where it finds their mistakes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.cli.dev import source_files
from holdfast.cli.dev.python_files import BadPython, RunsOnImport, defines_something, is_test
from holdfast.cli.dev.source_files import take_snapshot


def written(folder: Path, name: str, text: str = "") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("from holdfast import task\n@task\ndef a(): ...\n", True),
        ("from holdfast import workflow as flow\n@flow(name='x')\nasync def a(): ...\n", True),
        ("import holdfast as hf\n@hf.workflow\nclass A: ...\n", True),
        ("from holdfast import load_dag\njob = load_dag('job.yaml')\n", True),
        ("from holdfast import Holdfast\n\nasync def main():\n    async with Holdfast() as hf: ...\n", False),
        ("from celery import task\n@task\ndef a(): ...\n", False),
        ("", False),
    ],
)
def test_a_python_file_with_our_decorators_defines_something(tmp_path: Path, text: str, is_so: bool):
    assert defines_something(written(tmp_path, "a.py", text)) is is_so


@pytest.mark.parametrize(
    "last",
    ["asyncio.run(main())\n", "print(asyncio.run(main()))\n", "with Holdfast() as hf:\n    hf.run(a)\n"],
)
def test_a_script_that_would_run_is_passed_over(tmp_path: Path, last: str):
    begin = "import asyncio\nfrom holdfast import task\nfrom holdfast.sync import Holdfast\n"
    begin += "\n\n@task\ndef a(): ...\n"
    script = written(tmp_path, "a.py", begin + last)
    with pytest.raises(RunsOnImport, match=r"a\.py:8: passed over"):
        defines_something(script)

    indented = "".join(f"    {line}\n" for line in last.splitlines())
    script.write_text(f'{begin}if __name__ == "__main__":\n{indented}')
    assert defines_something(script)


def test_a_mistake_in_the_syntax_has_its_place(tmp_path: Path):
    file = written(tmp_path, "a.py", "from holdfast import task\nx = (\n")
    with pytest.raises(BadPython) as bad:
        defines_something(file)

    assert str(bad.value) == f"{file}:2:5: SyntaxError: '(' was never closed"


def test_tests_are_told_by_their_names():
    assert [is_test(Path(each)) for each in ("test_a.py", "a_test.py", "conftest.py", "contest.py")] == [
        True,
        True,
        True,
        False,
    ]


def test_hidden_folders_virtualenvs_and_packages_of_others_are_not_searched(tmp_path: Path):
    ours = [written(tmp_path, name) for name in ("a.py", "b/c.yaml", "b/d.json", "holdfast.toml")]
    for other in (".x/a.py", "env/pyvenv.cfg", "env/lib/a.py", "node_modules/a.json", "tests/a.py", "a.txt"):
        written(tmp_path, other)

    assert sorted(take_snapshot([tmp_path]).files) == sorted(map(str, ours))


def test_new_changed_and_deleted_files_are_noticed_and_so_is_one_that_was_replaced(tmp_path: Path):
    kept, edited, deleted, replaced = (written(tmp_path, f"{name}.py", "1") for name in "abcd")
    before = take_snapshot([tmp_path])
    edited.write_text("22")
    deleted.unlink()
    stamp = replaced.stat()
    fresh = written(tmp_path, "e.tmp", "2")
    fresh.rename(replaced)
    os.utime(replaced, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    new = written(tmp_path, "f.py")
    more = written(tmp_path, "elsewhere.txt")

    changed = take_snapshot([tmp_path], [str(more)]).changed(before)

    assert changed == sorted(map(str, (edited, deleted, replaced, new, more)))
    assert str(kept) not in changed


def test_there_is_a_limit_to_the_files_that_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for number in range(5):
        written(tmp_path, f"{number}.py")
    monkeypatch.setattr(source_files, "MOST_FILES", 3)

    found = take_snapshot([tmp_path])

    assert (len(found.files), found.is_cut) == (3, True)
