"""The disk that chaos runs fill: full means full, in the middle of a write, and free means free again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from tests.chaos.small_disk import SmallDisk, small_disk

_MEGABYTE = bytes(1024 * 1024)


def test_a_full_disk_takes_no_more_and_a_freed_one_does(tmp_path: Path) -> None:
    with small_disk(tmp_path) as disk:
        file = disk.folder / "holdfast.db-wal"
        file.write_bytes(_MEGABYTE)

        disk.fill([os.getpid()], file)
        with pytest.raises(OSError, match=r"No space|too large") as refusal, file.open("ab") as log:
            log.write(_MEGABYTE)
        disk.free([os.getpid()])

        assert refusal.value.errno in (errno.ENOSPC, errno.EFBIG)
        assert file.write_bytes(2 * _MEGABYTE) == len(2 * _MEGABYTE)


def test_without_a_disk_of_its_own_files_have_a_limit(tmp_path: Path) -> None:
    disk = SmallDisk(tmp_path, is_mounted=False)
    file = tmp_path / "holdfast.db-wal"
    file.write_bytes(_MEGABYTE)

    disk.fill([os.getpid()], file)
    with pytest.raises(OSError, match=r"No space|too large") as refusal, file.open("ab") as log:
        log.write(_MEGABYTE)
    disk.free([os.getpid()])

    assert refusal.value.errno == errno.EFBIG
    assert file.write_bytes(2 * _MEGABYTE) == len(2 * _MEGABYTE)
