"""The files that `holdfast dev` watches: which there are under the given paths, and when each was changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Final, NamedTuple, TypeAlias

from holdfast.authoring.workflow_files import SUFFIXES

PYTHON: Final = ".py"
_SETTINGS: Final = "holdfast.toml"
_OTHER_FOLDERS: Final = frozenset({"node_modules", "__pycache__", "site-packages", "tests"})
MOST_FILES: Final = 5_000
_MOST_FOLDERS: Final = 5_000

Stamp: TypeAlias = tuple[int, int, int]
"""When the file was written, its size and its inode: editors often replace a file by a new one."""


class Snapshot(NamedTuple):
    files: dict[str, Stamp]
    is_cut: bool = False
    """There are more files, which are not watched."""

    def changed(self, before: Snapshot) -> list[str]:
        """The files that are new, gone or different."""
        names = {**before.files, **self.files}
        return sorted(name for name in names if self.files.get(name) != before.files.get(name))


def take_snapshot(paths: Sequence[Path], more: Iterable[str] = ()) -> Snapshot:
    """These files, those in these folders, and the files `more`. Files that cannot be read are left out."""
    files: dict[str, Stamp] = {}
    for name in _names(paths, more):
        if name in files:
            continue
        if len(files) == MOST_FILES:
            return Snapshot(files, is_cut=True)
        try:
            found = os.stat(name)
        except OSError:
            continue  # gone, or not ours
        if S_ISREG(found.st_mode):
            files[name] = (found.st_mtime_ns, found.st_size, found.st_ino)
    return Snapshot(files)


def _names(paths: Sequence[Path], more: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if path.is_dir():
            yield from _inside(str(path))
        else:
            yield str(path)
    yield from more


def _inside(root: str) -> Iterator[str]:
    """In order. Skips hidden folders, virtualenvs, and folders that have other things than definitions."""
    for folder, below, names in islice(os.walk(root), _MOST_FOLDERS):
        below[:] = sorted(each for each in below if _is_ours(folder, each))
        for name in sorted(names):
            if not name.startswith(".") and (name.endswith((PYTHON, *SUFFIXES)) or name == _SETTINGS):
                yield os.path.join(folder, name)


def _is_ours(folder: str, name: str) -> bool:
    if name.startswith(".") or name in _OTHER_FOLDERS:
        return False
    return not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
