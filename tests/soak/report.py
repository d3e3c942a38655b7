"""A soak on one page: every series as a sparkline, its level, how much it grew, and what it may."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from tests.soak.judge import Verdict
from tests.soak.samples import MEGABYTE, Sampler

_BARS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 40
_SIZES: Final = ("memory", "SQLite's memory", "log bytes", "database bytes")


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """From the lowest to the highest; a flat series is a low line."""
    if not values:
        return ""
    count = min(width, len(values))
    edges = [round(n * len(values) / count) for n in range(count + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, high = min(means), max(means)
    # A series that moves by less than a hundredth of its level is flat to the eye too.
    span = max(high - low, abs(high) / 100, 1e-9)
    return "".join(_BARS[min(int((mean - low) / span * len(_BARS)), len(_BARS) - 1)] for mean in means)


def shown(name: str, value: float) -> str:
    if name in _SIZES:
        return f"{value / MEGABYTE:,.1f} MB"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


def page(sampler: Sampler, verdicts: dict[str, Verdict], facts: dict[str, Any]) -> str:
    lines = [" · ".join(f"{name} {value}" for name, value in facts.items()), ""]
    lines.append(f"{'series':<16}{'':<{_WIDTH + 2}}{'level':>12}{'growth':>12}{'allowed':>12}{'trend':>7}")
    for name, values in sampler.series.items():
        line = f"{name:<16}{sparkline(values):<{_WIDTH + 2}}"
        verdict = verdicts.get(name)
        if verdict is None:
            lines.append(f"{line}{shown(name, values[-1]) if values else '-':>12}")
            continue
        figures = (shown(name, each) for each in (verdict.level, verdict.growth, verdict.allowed))
        lines.append(
            line
            + "".join(f"{each:>12}" for each in figures)
            + f"{verdict.trend:>7.2f}"
            + ("   GROWS" if verdict.grows else "")
        )
    growing = [name for name, verdict in verdicts.items() if verdict.grows]
    lines += ["", f"GROWS: {', '.join(growing)}" if growing else "Nothing grows."]
    return "\n".join(lines)


def as_json(sampler: Sampler, verdicts: dict[str, Verdict], facts: dict[str, Any]) -> dict[str, Any]:
    return {
        **facts,
        "times": sampler.times,
        "series": sampler.series,
        "verdicts": {name: verdict._asdict() for name, verdict in verdicts.items()},
    }
