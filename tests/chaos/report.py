"""The report of a chaos run: one page of plain text, written for a sceptic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.chaos.history import Verdict
from tests.chaos.rounds import Round

_SHOWN = 20
"""How many violations of one promise are shown in full."""


def report_of(rounds: Sequence[Round], command: str, seconds: float) -> str:
    is_good = all(round.is_good for round in rounds)
    lines = [
        "holdfast chaos report",
        "=====================",
        f"{'EVERYTHING HELD' if is_good else 'PROMISES WERE BROKEN'}  "
        f"{len(rounds)} rounds, {seconds / 60:.1f} minutes. To repeat it: {command}",
        "The seed decides what is done to whom; the machine decides at which instant.",
        "",
        "What ran",
        *_indented(_what_ran(rounds)),
        "",
        "What was done to it",
        *_indented(_faults(rounds)),
        "",
        "What clients asked for and heard",
        *_indented(_operations(rounds)),
        "",
        "What came of it",
        *_indented(_totals(rounds)),
        "",
        "What was checked, against what tasks, clients and an observer of the database wrote down",
        *_indented(_checks(rounds)),
    ]
    return "\n".join([*lines, *_violations(rounds)]) + "\n"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _what_ran(rounds: Sequence[Round]) -> list[str]:
    return [
        f"{round.store:8} seed {round.seed}, {round.seconds:.0f} s of faults: {round.shape}"
        for round in rounds
    ]


def _faults(rounds: Sequence[Round]) -> list[str]:
    counts: Counter[str] = Counter()
    for round in rounds:
        counts += round.faults
    return [f"{times:5}  {fault}" for fault, times in counts.most_common()]


def _operations(rounds: Sequence[Round]) -> list[str]:
    fates: Counter[tuple[str, str]] = Counter()
    for round in rounds:
        fates.update((each.action, each.fate) for each in round.evidence.operations)
    actions = sorted({action for action, _ in fates})
    return [f"{'':10}{'ok':>8}{'refused':>9}{'unknown':>9}"] + [
        f"{action:10}{fates[action, 'ok']:8}{fates[action, 'fail']:9}{fates[action, 'unknown']:9}"
        for action in actions
    ]


def _totals(rounds: Sequence[Round]) -> list[str]:
    runs: Counter[str] = Counter()
    executions = tasks = repeated = 0
    for round in rounds:
        runs.update(run.status for run in round.evidence.runs.values())
        counts = Counter(began.task for began in round.evidence.begun)
        executions += counts.total()
        tasks += len(counts)
        repeated += sum(times > 1 for times in counts.values())
    slowest = max((each.evidence.settled.seconds for each in rounds if each.evidence.settled), default=0.0)
    ended = ", ".join(f"{times} {status}" for status, times in runs.most_common())
    return [
        f"{runs.total():7} runs: {ended}",
        f"{tasks:7} tasks, executed {executions} times",
        f"{repeated:7} tasks executed more than once: they had failed, or stood nowhere as done",
        f"{slowest:7.1f} s until all runs had ended after the last fault, in the slowest round",
    ]


def _checks(rounds: Sequence[Round]) -> list[str]:
    looked_at: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for verdict in _verdicts(rounds):
        looked_at[verdict.promise] += verdict.looked_at
        broken[verdict.promise] += len(verdict.broken)
    return [
        f"{'BROKEN' if broken[promise] else 'held' if times else 'no case':8}{times:7} cases  {promise}"
        + (f": {broken[promise]} times not" if broken[promise] else "")
        for promise, times in looked_at.items()
    ]


def _verdicts(rounds: Sequence[Round]) -> list[Verdict]:
    return [verdict for round in rounds for verdict in round.verdicts]


def _violations(rounds: Sequence[Round]) -> list[str]:
    lines: list[str] = []
    for round in rounds:
        if round.is_good:
            continue
        lines += ["", f"Violations, {round.store} seed {round.seed} (everything is in {round.folder})"]
        for verdict in round.verdicts:
            if verdict.broken:
                lines.append(f"  NOT SO: {verdict.promise}")
                lines += [f"    - {each}" for each in verdict.broken[:_SHOWN]]
                if len(verdict.broken) > _SHOWN:
                    lines.append(f"    and {len(verdict.broken) - _SHOWN} more")
    return lines
