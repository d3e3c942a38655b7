"""A disk that can be filled: a file system in memory if one can be mounted, else a limit on file sizes.

The first gives the error of a full disk, the second that of a quota. Both make writes fail at any point, and
both can be lifted again.
"""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

_SIZE = 128 * 1024 * 1024
_CHUNK = 1024 * 1024
_PAGE = 4096


class SmallDisk:
    def __init__(self, folder: Path, *, is_mounted: bool) -> None:
        self.folder = folder
        self.is_mounted = is_mounted

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"

    def fill(self, processes: Iterable[int], log: Path) -> None:
        """Leave no room. Without a mounted disk, these processes cannot write beyond the size of `log`."""
        if self.is_mounted:
            self._pile_up()
            return
        # At least a chunk: the notebooks are far smaller, and must stay writable.
        size = max(log.stat().st_size if log.exists() else 0, _CHUNK)
        for process in processes:
            _limit(process, size)

    def _pile_up(self) -> None:
        with self._ballast.open("ab", buffering=0) as ballast:
            for size in (_CHUNK, _PAGE):
                for _ in range(_SIZE // size + 1):
                    try:
                        if ballast.write(bytes(size)) < size:
                            break
                    except OSError:
                        break  # no more of this size fits

    def free(self, processes: Iterable[int]) -> None:
        if self.is_mounted:
            self._ballast.unlink(missing_ok=True)
            return
        for process in processes:
            _limit(process, resource.RLIM_INFINITY)


def _limit(process: int, size: int) -> None:
    try:
        _, most = resource.prlimit(process, resource.RLIMIT_FSIZE)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size if most < 0 else min(size, most), most))
    except ProcessLookupError:
        pass  # the process was killed meanwhile, and the next one begins without a limit


@contextmanager
def small_disk(parent: Path) -> Generator[SmallDisk]:
    folder = parent / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", str(folder)]
    is_mounted = _succeeds(command)
    try:
        yield SmallDisk(folder, is_mounted=is_mounted)
    finally:
        if is_mounted:
            _succeeds(["umount", "--lazy", str(folder)])


def _succeeds(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0
    except FileNotFoundError:
        return False  # this machine has no such command
