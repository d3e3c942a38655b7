"""Keys of runs: UUIDv7, so that what is created together is stored together."""

from __future__ import annotations

from random import Random

from holdfast.core.values import Instant, RunKey, key_text

LONGEST_PARENT = 200


def name_for_children(id: str | None, key: RunKey) -> str:
    """What the ids of a run's children begin with. Not its own id if that is long: grandchildren of
    grandchildren would else have names that no index can hold."""
    return key_text(key) if id is None or len(id) > LONGEST_PARENT else id


class KeyMaker:
    """Makes keys that sort in the order they were made, whatever the clock's resolution.

    48 bits of milliseconds, the version, 12 bits of the millisecond's fraction, the variant, 20 bits
    that count, 42 bits of chance.
    """

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._last = -1
        self._stamp = 0
        self._count = 0

    def __call__(self, now: Instant) -> RunKey:
        # A clock that is set back must not put new keys before old ones; one that stands still, as it
        # does for a thousand runs of one tick, need not be read again.
        if now > self._last:
            self._last = now
            milliseconds, rest = divmod(now, 1000)
            fraction = rest * 4096 // 1000
            self._stamp = (milliseconds & 0xFFFF_FFFF_FFFF) << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62
        self._count = (self._count + 1) & 0xFFFFF
        number = self._stamp | self._count << 42 | self._dice.getrandbits(42)
        return number.to_bytes(16, "big")  # pyright: ignore[reportReturnType]
