"""The files of attempts: one private folder for a node, and in it one folder for each attempt that runs.

So a task that removes everything beside its files harms only itself. Creating and removing a folder and a
file for each attempt would cost about as much as starting a process (on ext4). So folders are used again.
Their time of change is set to 0 before an attempt; if it is still 0 afterwards, no file was created or
removed there.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
from typing import NamedTuple

from holdfast.core.values import Payload

_INPUT = b"input"
_UNTOUCHED = 0
_MOST_REMOVED_AT_ONCE = 100
"""With more files than this, a folder is removed on a thread."""


class AttemptFiles(NamedTuple):
    """The paths of one attempt. At its start, only the input exists."""

    folder: bytes
    input: bytes
    output: bytes
    heartbeat: bytes

    @property
    def are_untouched(self) -> bool:
        """No file was created or removed in the folder since the attempt started."""
        try:
            found = os.lstat(self.folder)
        except OSError:
            return False
        return found.st_mtime_ns == _UNTOUCHED and stat.S_ISDIR(found.st_mode)

    def check_folder(self) -> None:
        """Raises FileNotFoundError if the folder was removed, and with it whatever was in it."""
        if not _is_folder(self.folder):
            raise FileNotFoundError(
                "the folder of HOLDFAST_OUTPUT_FILE was removed while the task ran, and with it the output, "
                "if there was one; leave it alone, or write the output as the last line of standard output"
            )


class ScratchFolder:
    """Created with the first attempt. Other users cannot read it."""

    def __init__(self) -> None:
        self.folder = ""
        self._count = 0
        self._free: list[bytes] = []
        """Folders whose attempts have ended."""

    def open(self) -> str:
        if not self.folder:
            self.folder = tempfile.mkdtemp(prefix="holdfast-")
        return self.folder

    def acquire(self, input: Payload) -> AttemptFiles:
        self._count += 1
        number = self._count
        new = b"%s/%d" % (os.fsencode(self.folder), number)
        folder = self._free.pop() if self._free else new
        path = b"%s/%s" % (folder, _INPUT)
        try:
            _overwrite(path, input)
        except OSError:
            # The folder is new, or a cleaner of temporary folders has removed it, or a task has put something
            # else in its place.
            folder, path = new, b"%s/%s" % (new, _INPUT)
            for each in (os.fsencode(self.folder), folder):  # makedirs applies the mode only to the last
                os.makedirs(each, mode=0o700, exist_ok=True)
            _overwrite(path, input)
            _reset_time(folder)
        # With a number: a process that is left of an earlier attempt may still write to its own files.
        return AttemptFiles(
            folder, path, b"%s/%d.output" % (folder, number), b"%s/%d.heartbeat" % (folder, number)
        )

    def release(self, files: AttemptFiles, *, has_files: bool) -> None:
        """`has_files` is False if the attempt surely left no file but its input."""
        if not has_files or _clear(files.folder):
            self._free.append(files.folder)
        else:
            # On a thread, because nobody knows how much is in it. The folder is not used again.
            threading.Thread(target=_remove, args=(files.folder,), daemon=True).start()

    def close(self) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def _is_folder(path: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _reset_time(folder: bytes) -> None:
    os.utime(folder, ns=(_UNTOUCHED, _UNTOUCHED))


def _clear(folder: bytes) -> bool:
    """Remove all files but the input. False if the folder cannot be used again."""
    if not _is_folder(folder):  # a link leads to something that is not ours to clear
        return False
    try:
        names = os.listdir(folder)
        if len(names) > _MOST_REMOVED_AT_ONCE:
            return False
        for name in names:
            if name != _INPUT:
                os.unlink(b"%s/%s" % (folder, name))  # fails for a folder, which may hold many files
        _reset_time(folder)
    except OSError:
        return False
    return _INPUT in names


def _remove(path: bytes) -> None:
    try:
        os.unlink(path)
    except OSError:
        shutil.rmtree(path, ignore_errors=True)  # it is a folder, or gone; `close` removes what is left


def _overwrite(path: bytes, content: bytes) -> None:
    # Without O_TRUNC: ext4 takes that for the replacement of an important file, and flushes it to the disk.
    # O_NONBLOCK: a task may have put a named pipe there, which nobody reads.
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise FileExistsError("a task has put something else in the place of its input")
        written, size = os.write(descriptor, content), len(content)
        while written < size:
            written += os.write(descriptor, content[written:])
        if found.st_size > size:  # the check costs less than a needless ftruncate
            os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)
