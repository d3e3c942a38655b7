"""The targets, and the table that compares the figures with them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

STORES = ("sqlite", "postgres")


class Target(NamedTuple):
    workload: str
    figure: str
    sqlite: float
    postgres: float
    is_ceiling: bool = False
    """Whether the figure must stay below the target."""

    def bound(self, store: str) -> float:
        return self.sqlite if store == "sqlite" else self.postgres

    def is_met(self, store: str, value: float) -> bool:
        return value < self.bound(store) if self.is_ceiling else value >= self.bound(store)

    def text(self, store: str) -> str:
        return f"{'<' if self.is_ceiling else '≥'} {_number(self.bound(store))}"


# For 2 cores and a disk that really waits for fsync.
TARGETS = (
    Target("W1", "runs_per_s", 8_000, 5_000),
    Target("W2b", "tasks_per_s", 10_000, 6_000),
    Target("W3", "tasks_per_s", 15_000, 8_000),
    Target("W1", "ratio", 0.6, 0.95),
    Target("W2b", "ratio", 0.6, 0.95),
    Target("W3", "ratio", 0.6, 0.8),
    Target("W4", "p50_ms", 0.6, 1.5, is_ceiling=True),
    Target("W4b", "p50_ms", 3, 4, is_ceiling=True),
    Target("W5b", "growth_mb", 20, 20, is_ceiling=True),
    Target("W6", "share_of_bare", 0.85, 0.85),
    Target("W6b", "seconds", 4, 4, is_ceiling=True),
    Target("W6b", "growth_mb", 10, 10, is_ceiling=True),
    Target("W6c", "p99_ms", 100, 100, is_ceiling=True),
    Target("W7", "claim_ratio", 1.5, 1.5, is_ceiling=True),
    Target("W8", "statements_per_minute", 10, 10, is_ceiling=True),
    Target("W10", "delay_ratio", 1.2, 1.2, is_ceiling=True),
    Target("W10", "growth_mb", 20, 20, is_ceiling=True),
    Target("W12", "replay_us", 10, 10, is_ceiling=True),
    Target("W12", "cold_ms", 2_000, 2_000, is_ceiling=True),
    Target("W12", "resident_ms", 50, 50, is_ceiling=True),
    Target("W12", "held_up_ms", 100, 100, is_ceiling=True),
    Target("W13", "lists_ratio", 2, 2, is_ceiling=True),
    Target("W13", "run_ratio", 1.5, 1.5, is_ceiling=True),
    Target("W14", "delay_ratio", 1.5, 1.5, is_ceiling=True),
    Target("W15", "largest_share", 0.5, 0.5, is_ceiling=True),
    Target("W15", "spread_s", 1, 1, is_ceiling=True),
    Target("W15", "statements_ratio", 1.2, 1.2, is_ceiling=True),
    Target("W16", "p50_ms", 20, 10, is_ceiling=True),
    Target("W17", "rate_ratio", 1.2, 1.2, is_ceiling=True),
    Target("W17", "growth_mb", 1, 1, is_ceiling=True),
    Target("W19", "starts_per_s", 5_000, 3_000),
    Target("W19", "wait_p50_ms", 5, 8, is_ceiling=True),
    Target("W19", "first_100_ms", 50, 50, is_ceiling=True),
    Target("W19", "deep_100_ms", 50, 50, is_ceiling=True),
    Target("W20", "unsampled_ratio", 1.03, 1.03, is_ceiling=True),
    Target("W20", "limited_ratio", 1.03, 1.03, is_ceiling=True),
)

# Figures that are shown without a target.
_ALSO_SHOWN = {
    "W1": ("cpu_seconds",),
    "W1t": ("runs_per_s", "cpu_seconds"),
    "W2": ("tasks_per_s", "ratio"),
    "W3b": ("tasks_per_s",),
    "W4": ("p99_ms", "ratio"),
    "W4b": ("p99_ms",),
    "W5": ("idle_mb", "after_w1_mb", "growth_mb"),
    "W6": ("tasks_per_s", "bare_per_s"),
    "W6c": ("tasks_per_s", "p50_ms"),
    "W9": ("tasks_per_s", "growth_mb"),
    "W10": ("alone_ms", "beside_ms", "approvals_per_s"),
    "W11": ("tasks_per_s",),
    "W12": ("alone_p50_ms", "beside_p50_ms"),
    "W13": (
        "worst_list_ms",
        "list_newest_ms",
        "list_workflow_ms",
        "page_workflow_ms",
        "claim_ms",
        "peek_ms",
        "doctor_s",
        "run_ms",
    ),
    "W14": ("alone_p50_ms", "beside_p50_ms", "alone_p99_ms", "beside_p99_ms", "signals_per_s"),
    "W15": ("nodes_used", "alone_tasks_per_s", "tasks_per_s", "speedup", "statements_per_signal"),
    "W17": ("alone_tasks_per_s", "beside_tasks_per_s", "pruned_per_s"),
    "W18": ("one_history_s", "chapters_s", "chapters_ratio", "slowest_answer_ms"),
    "W19": ("wait_p99_ms", "first_1000_ms", "deep_1000_ms"),
    "W20": ("cpu_seconds", "sampled_ratio"),
    "W7": ("claim_ms", "claim_small_ms", "first_claim_ms", "peek_ms"),
}


class Verdict(NamedTuple):
    store: str
    workload: str
    figure: str
    value: float
    target: str
    is_met: bool | None
    """None if there is no target."""


def judge(measured: Mapping[tuple[str, str, str], Sequence[float]]) -> list[Verdict]:
    """`measured` has the values of all repeats, by store, workload and figure. Their median counts."""
    wanted = {(target.workload, target.figure): target for target in TARGETS}
    verdicts: list[Verdict] = []
    for (store, workload, figure), values in measured.items():
        value = statistics.median(values)
        target = wanted.get((workload, figure))
        if target is not None:
            verdicts.append(
                Verdict(store, workload, figure, value, target.text(store), target.is_met(store, value))
            )
        elif figure in _ALSO_SHOWN.get(workload, ()):
            verdicts.append(Verdict(store, workload, figure, value, "", None))
    return sorted(verdicts, key=lambda verdict: (STORES.index(verdict.store), verdict.workload))


def table(verdicts: Sequence[Verdict]) -> str:
    rows = [("store", "workload", "figure", "median", "target", "")]
    words = {True: "met", False: "MISSED", None: ""}
    for verdict in verdicts:
        rows.append(
            (
                verdict.store,
                verdict.workload,
                "of the prototype" if verdict.figure == "ratio" else verdict.figure,
                _number(verdict.value),
                verdict.target,
                words[verdict.is_met],
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join(
        f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:<{widths[2]}}  "
        f"{row[3]:>{widths[3]}}  {row[4]:<{widths[4]}}  {row[5]}".rstrip()
        for row in rows
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
