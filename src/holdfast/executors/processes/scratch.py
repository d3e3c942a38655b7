"""Where the files of attempts are: one private folder for a node, and in it one for each attempt that runs.

So a task that tidies up where its files are harms nobody but itself. To make and remove a folder and a file
for each attempt would cost about as much as starting a process (on ext4). They are used again, and a folder
in which nothing was made or removed says so by its time of change, which was set to 0 before.
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
_FEW = 100
"""Files that are removed at once."""


class Files(NamedTuple):
    """Of one attempt. Only that of the input is there from the beginning."""

    folder: bytes
    input: bytes
    output: bytes
    heartbeat: bytes

    @property
    def are_untouched(self) -> bool:
        """No file was made or removed here since the attempt began."""
        try:
            found = os.lstat(self.folder)
        except OSError:
            return False
        return found.st_mtime_ns == _UNTOUCHED and stat.S_ISDIR(found.st_mode)

    def check(self) -> None:
        """Raises FileNotFoundError if the folder has gone, and with it whatever was in it."""
        if not _is_folder(self.folder):
            raise FileNotFoundError(
                "the folder of HOLDFAST_OUTPUT_FILE was removed while the task ran, and with it the output, "
                "if there was one; leave it alone, or write the output as the last line of standard output"
            )


class Scratch:
    """The folder is made with the first attempt, and readable by nobody else."""

    def __init__(self) -> None:
        self.folder = ""
        self._count = 0
        self._free: list[bytes] = []
        """Folders whose attempts have ended."""

    def open(self) -> str:
        if not self.folder:
            self.folder = tempfile.mkdtemp(prefix="holdfast-")
        return self.folder

    def take(self, input: Payload) -> Files:
        self._count += 1
        number = self._count
        new = b"%s/%d" % (os.fsencode(self.folder), number)
        folder = self._free.pop() if self._free else new
        path = b"%s/%s" % (folder, _INPUT)
        try:
            _overwrite(path, input)
        except OSError:
            # It is new; or whoever tidies up temporary folders was here; or a task made something odd of it.
            folder, path = new, b"%s/%s" % (new, _INPUT)
            for each in (os.fsencode(self.folder), folder):  # the mode goes to the last one of a path only
                os.makedirs(each, mode=0o700, exist_ok=True)
            _overwrite(path, input)
            _put_back_time(folder)
        # With a number: what is left of another attempt may still write to its own.
        return Files(folder, path, b"%s/%d.output" % (folder, number), b"%s/%d.heartbeat" % (folder, number))

    def give_back(self, files: Files, *, has_files: bool) -> None:
        if not has_files or _clear(files.folder):
            self._free.append(files.folder)
        else:
            # On a thread: nobody knows how much there is. It is not used again.
            threading.Thread(target=_remove, args=(files.folder,), daemon=True).start()

    def close(self) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def _is_folder(path: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _put_back_time(folder: bytes) -> None:
    os.utime(folder, ns=(_UNTOUCHED, _UNTOUCHED))


def _clear(folder: bytes) -> bool:
    """Remove all but the input. False if that is gone, or if the task made something odd of the folder."""
    if not _is_folder(folder):  # a link leads to what is not ours to clear
        return False
    try:
        names = os.listdir(folder)
        if len(names) > _FEW:
            return False
        for name in names:
            if name != _INPUT:
                os.unlink(b"%s/%s" % (folder, name))  # fails for a folder, in which there may be any number
        _put_back_time(folder)
    except OSError:
        return False
    return _INPUT in names


def _remove(path: bytes) -> None:
    try:
        os.unlink(path)
    except OSError:
        shutil.rmtree(path, ignore_errors=True)  # a folder, or gone; what is left goes with all of ours


def _overwrite(path: bytes, content: bytes) -> None:
    # Without O_TRUNC: ext4 takes that for the replacement of something precious, and writes it to the disk.
    # O_NONBLOCK: a task may have put a pipe there, and nobody reads it.
    how = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, how, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise FileExistsError("a task has put something else where its input was")
        written, size = os.write(descriptor, content), len(content)
        while written < size:
            written += os.write(descriptor, content[written:])
        if found.st_size > size:  # to ask costs less than to cut off nothing
            os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)
