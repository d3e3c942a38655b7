"""An environment whose runs have keys that say when they were created, as nodes make them."""

from __future__ import annotations

from random import Random

from holdfast.core.ids import KeyMaker
from holdfast.core.values import Instant, RunKey
from holdfast.testing import Environment


class TimedEnvironment(Environment):
    def _new_key(self, now: Instant) -> RunKey:
        if self._keys == 0:
            self._maker = KeyMaker(Random(self.settings.namespace))
        self._keys += 1
        return self._maker(now)
