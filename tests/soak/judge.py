"""Does a series of samples grow? A robust answer, since what is sampled is noisy and has outliers.

A series grows if both hold:

- It has a **trend**: of all pairs of samples, clearly more rise than fall (Kendall's tau at least
  `TREND`). Noise around a level has a tau near 0; a leak, also a slow one under much noise, nears 1.
- The trend is **large enough to matter**: the median slope over all pairs (Theil-Sen), over the whole
  time, comes to more than the allowance, which is a share of the level plus something absolute.

Both are medians or counts over pairs, so a single spike (a garbage collection, a checkpoint) moves
neither. Samples of the warm-up are left out before: caches fill, threads start, a log gets its size.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

TREND: Final = 0.4
FEWEST_SAMPLES: Final = 8
"""With fewer, chance alone often looks like a trend, and nothing is judged."""
_MOST_SAMPLES: Final = 400
"""More are thinned out: the number of pairs grows with the square."""


class Allowance(NamedTuple):
    """How much a series may grow over the time it was watched."""

    share: float
    """Of its level."""
    absolute: float


class Verdict(NamedTuple):
    grows: bool
    level: float
    growth: float
    """From the first to the last sample, along the median slope."""
    allowed: float
    trend: float
    """Kendall's tau: -1 falls always, 0 no trend, 1 rises always."""


def judge(times: Sequence[float], values: Sequence[float], allowance: Allowance) -> Verdict:
    """Whether the series grows more than it may. The warm-up must be left out already."""
    level = statistics.median(values) if values else 0.0
    allowed = allowance.share * abs(level) + allowance.absolute
    if len(values) < FEWEST_SAMPLES:
        return Verdict(False, level, 0.0, allowed, 0.0)
    step = -(-len(values) // _MOST_SAMPLES)
    pairs = list(combinations(list(zip(times, values, strict=True))[::step], 2))
    slopes = [(late[1] - early[1]) / (late[0] - early[0]) for early, late in pairs if late[0] > early[0]]
    growth = statistics.median(slopes) * (times[-1] - times[0])
    rises = sum(slope > 0 for slope in slopes)
    falls = sum(slope < 0 for slope in slopes)
    trend = (rises - falls) / len(slopes)
    return Verdict(trend >= TREND and growth > allowed, level, growth, allowed, trend)
