"""Runs one page: `python run_page.py PAGE.md [WHAT INSTEAD ...]`, in the directory that it may write to.

A process of its own for each page, because what a page defines is registered for the whole process.
`WHAT INSTEAD` replaces text of the page, such as the URL of a database.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.docs.pages import ROOT, Block, blocks_of, prints_as_shown
from tests.patience import PATIENCE

from holdfast.authoring.dag.loader import load_file, load_text
from holdfast.authoring.documents.nodes import value_of
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.yaml_text import compose
from holdfast.authoring.flow.loader import load_flow_text
from holdfast.settings import read_settings

_ONLY_CHECKED = ("pip ", "make ", "git ", "cd ")
_IS_FLOW = re.compile(r"""^["{ ]{0,3}start"?:""", re.MULTILINE)


class Page:
    def __init__(self, path: Path, replacements: dict[str, str], runner: asyncio.Runner) -> None:
        self._path = path
        self._runner = runner
        text = path.read_text(encoding="utf-8")
        for what, instead in replacements.items():
            text = text.replace(what, instead)
        self._blocks = blocks_of(text)
        # Code is compiled with the name of a real file that has it on the same lines as the page: so
        # a traceback names the page's line, and `inspect.getsource` finds what a workflow is hashed by.
        self._file = Path(f"{path.stem}_page.py").resolve()
        self._module = ModuleType("page")
        sys.modules["page"] = self._module
        self._file.write_text(self._only_code(len(text.splitlines())), encoding="utf-8")

    def _only_code(self, length: int) -> str:
        lines = [""] * (length + 1)
        for block in self._blocks:
            if block.language == "python" and block.title is None:
                code = block.code.splitlines()
                lines[block.line - 1 : block.line - 1 + len(code)] = code
        return "\n".join(lines)

    def run(self) -> None:
        for block in self._blocks:
            if not block.is_run:
                continue
            if block.title is not None and block.is_added:
                add_to_flow(Path(block.title), block.code)
            elif block.title is not None:
                _save(Path(block.title), block.code)
            printed = self._run(block)
            if block.shows is not None and not prints_as_shown(printed, block.shows):
                where = f"{self._path.name}, line {block.line}"
                raise SystemExit(f"{where}: the page shows\n{block.shows}\nbut it printed\n{printed}")

    def _run(self, block: Block) -> str:
        match block.language:
            case "python" if block.title is None:
                return self._run_python(block)
            case "sh" if block.title is None:
                return _run_shell(block, self._path.name)
            case "yaml" if re.search(r"^tasks:", block.code, re.MULTILINE):
                where = f"{self._path.name}, line {block.line}"
                load_file(block.title) if block.title else load_text(block.code, file=where)
            case "yaml" | "json" if re.search(_IS_FLOW, block.code) and not block.is_added:
                load_flow_text(block.code, file=f"{self._path.name}, line {block.line}")
            case "toml":
                Path("holdfast.toml").write_text(block.code, encoding="utf-8")
                read_settings({}, {}, Path.cwd())
                if block.title is None:
                    Path("holdfast.toml").unlink()
            case _:
                pass  # text, sql and the like are for reading
        return ""

    def _run_python(self, block: Block) -> str:
        source = "\n" * (block.line - 1) + block.code
        code = compile(source, str(self._file), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            result = eval(code, vars(self._module))
            if inspect.iscoroutine(result):
                self._runner.run(asyncio.wait_for(result, PATIENCE))
        return printed.getvalue()


def _save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if text.startswith("#!"):
        path.chmod(0o755)


def add_to_flow(path: Path, text: str) -> None:
    """Into the file itself, which must be a flow without problems then."""
    whole, more = (_plain(each, path.name) for each in (path.read_text(encoding="utf-8"), text))
    whole["nodes"] |= more.get("nodes", {})
    edges = {(each["from"], each.get("action")): each for each in whole["edges"] + more.get("edges", [])}
    whole["edges"] = list(edges.values())
    path.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    load_flow_text(path.read_text(encoding="utf-8"), file=path.name)


def _plain(text: str, file: str) -> dict[str, Any]:
    problems = Problems(file)
    root = compose(text, problems)
    problems.raise_if_any()
    assert root is not None
    return value_of(root)


_shells: list[int] = []
"""Each was the leader of a process group that has outlived it, so its number is not given to others. A server
that one block has started is there for the next ones."""


def _end_shells() -> None:
    for group in _shells:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGTERM)


def _run_shell(block: Block, page: str) -> str:
    to_run = [line for line in block.code.splitlines() if not line.startswith(_ONLY_CHECKED)]
    for line in block.code.splitlines():
        _check(line, page)
    shell = subprocess.Popen(
        ["bash", "-e", "-c", "\n".join(to_run)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        printed, said = shell.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        # With all that it has started: a block may leave a server running, which nobody else would end.
        os.killpg(shell.pid, signal.SIGKILL)
        printed, said = shell.communicate()
        raise SystemExit(f"{page}, line {block.line}: it did not end\n{printed}{said}") from None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(shell.pid, 0)
        _shells.append(shell.pid)
    # A process that is killed half-way is the very point of some blocks.
    if shell.returncode not in (0, 137, -9) or "Traceback" in said:
        logs = "".join(_end_of(log) for log in sorted(Path().glob("*.log")))
        raise SystemExit(f"{page}, line {block.line}: status {shell.returncode}\n{printed}{said}{logs}")
    return printed


def _end_of(log: Path) -> str:
    return f"--- the end of {log}\n{log.read_text(encoding='utf-8', errors='replace')[-1000:]}"


def _check(line: str, page: str) -> None:
    """What is not run because it needs the network or a clone is at least held against the project."""
    words = line.split()
    if words[:1] == ["make"]:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        if not re.search(rf"^{re.escape(words[1])}:", makefile, re.MULTILINE):
            raise SystemExit(f"{page}: the Makefile has no target {words[1]!r}")
    elif words[:2] == ["pip", "install"]:
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        for extra in re.findall(r"\[(\w+)\]", line):
            if not re.search(rf"^{extra} = \[", project, re.MULTILINE):
                raise SystemExit(f"{page}: pyproject.toml has no extra {extra!r}")


def main() -> None:
    page, *replacements = sys.argv[1:]
    sys.path.insert(0, str(Path.cwd()))  # a page may import the files that it had saved
    with asyncio.Runner() as runner:
        pairs = zip(replacements[::2], replacements[1::2], strict=True)
        try:
            Page(Path(page), dict(pairs), runner).run()
        finally:
            _end_shells()


if __name__ == "__main__":
    main()
