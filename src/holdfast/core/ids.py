"""Keys of runs: UUIDv7, so that runs created together are stored together."""

from __future__ import annotations

from random import Random

from holdfast.core.records import RunRecord
from holdfast.core.run_options import read_run_options
from holdfast.core.values import Instant, RunKey, key_text

LONGEST_PARENT = 200


def name_for_children(run: RunRecord) -> str:
    """The prefix of the ids of a run's children: its own id, or its key if the id is long. Otherwise the
    ids of deeply nested runs would grow too long for an index.

    If other runs had the id before, their children have such ids. Then the prefix has a number."""
    id = id_at_start(run)
    if id is None or len(id) > LONGEST_PARENT:
        return key_text(run.key)
    generation = 0 if run.options is None else read_run_options(run.options).generation
    return f"{id}~{generation + 1}" if generation else id


def id_at_start(run: RunRecord) -> str | None:
    """The id that the run was started with. Its code always sees this one: another run may have taken the id
    since, and then the run has none."""
    if run.id is not None or run.options is None:
        return run.id
    return read_run_options(run.options).former_id or None


def first_key_of(at: Instant) -> RunKey:
    """A key that sorts before those of all runs created at `at` or later, and after those created before, to
    the millisecond."""
    milliseconds = min(max(at // 1000, 0), 0xFFFF_FFFF_FFFF)
    return RunKey((milliseconds << 80).to_bytes(16, "big"))


class KeyMaker:
    """Makes keys that sort in the order they were made, whatever the clock's resolution.

    A key has 48 bits of milliseconds, the version, 12 bits of the millisecond's fraction, the variant,
    a 20-bit counter and 42 random bits.
    """

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._last = -1
        self._stamp = 0
        self._count = 0

    def __call__(self, now: Instant) -> RunKey:
        # If the clock is set back, new keys must still sort after old ones. If `now` is the same, as for
        # a thousand runs of one tick, the stamp need not be computed again.
        if now > self._last:
            self._last = now
            milliseconds, rest = divmod(now, 1000)
            fraction = rest * 4096 // 1000
            self._stamp = (milliseconds & 0xFFFF_FFFF_FFFF) << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62
        self._count = (self._count + 1) & 0xFFFFF
        number = self._stamp | self._count << 42 | self._dice.getrandbits(42)
        return number.to_bytes(16, "big")  # pyright: ignore[reportReturnType]


def time_of_key(key: RunKey) -> Instant:
    """When the run was created, to the millisecond."""
    return Instant(int.from_bytes(key[:6], "big") * 1000)
