"""Is this history possible? Checks of DAGs, of the processes of their tasks, and of schedules."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Iterator

from tests.chaos.expected import expected
from tests.chaos.notebook import Began, ShownAttempt
from tests.chaos.operations import Evidence, is_death_of_a_node, told
from tests.chaos.verdicts import Verdict, verdict_of
from tests.chaos.workloads import SCHEDULE


def skipped_tasks_never_begin(evidence: Evidence) -> Verdict:
    skipped = {run.run: expected(run.workflow, run.input).never for run in evidence.runs.values()}
    cases = [label for labels in skipped.values() for label in labels]

    def broken() -> Iterator[str]:
        for began in evidence.begun:
            if began.label in skipped.get(began.run, ()):
                yield f"task {began.label} of {began.run} is to be skipped, and began" + told(began)

    return verdict_of("no task of a DAG began that is to be skipped", cases, broken())


# --- processes


def what_ran_on_a_dead_node_is_lost_and_tried_again(evidence: Evidence) -> Verdict:
    # Not the next attempt: its node may have been killed before it began, and then there is one more.
    last: Counter[str] = Counter()
    for each in evidence.begun:
        last[each.task] = max(last[each.task], each.attempt)
    cases = _running_when_their_node_died(evidence)

    def broken() -> Iterator[str]:
        for began in cases:
            marked = evidence.marked.get((began.task, began.attempt))
            was_cancelled = evidence.runs[began.run].status == "cancelled"
            if marked is None:
                yield "an attempt ran when its node was killed, and is not marked" + told(began)
            elif marked.status != "lost":
                words = f"{marked.status} ({marked.failure})"
                yield f"an attempt ran when its node was killed, and is called {words}" + told(began)
            elif last[began.task] == began.attempt and not was_cancelled:
                yield "an attempt was lost with its node, and nobody tried again" + told(began)

    promise = "a process task that ran when its node was killed is marked lost, and was tried again"
    return verdict_of(promise, cases, broken())


def _running_when_their_node_died(evidence: Evidence) -> list[Began]:
    """Those that the database had as begun on that node. The first attempt at a task that has waited for a
    slot starts before that is recorded; if its node dies before, nobody knows that it began. How soon it is
    recorded depends on the machine, so the observer has to have seen it.

    Leaves out tasks that may have ended otherwise: alone, by a fault, a heartbeat, or with their run."""
    deaths = {each.process: each for each in evidence.hurts if is_death_of_a_node(each)}
    hurt = {each.process for each in evidence.hurts if each.process}
    cancelled = {run: asked[0].began_at for run, asked in evidence.by_run("cancel").items()}
    cases: list[Began] = []
    for began in evidence.begun:
        death = deaths.get(began.node)
        if death is None or ShownAttempt(began.task, began.attempt, began.node) not in evidence.shown:
            continue
        is_hurt = began.process in hurt or began.shell in hurt
        has_ended = (began.process, began.task) in evidence.finished or is_hurt
        was_cancelled = cancelled.get(began.run, math.inf) < death.at
        if not has_ended and not was_cancelled and began.label != "watched" and began.run in evidence.runs:
            cases.append(began)
    return cases


def no_process_is_left(evidence: Evidence) -> Verdict:
    processes = {each.process for each in evidence.begun if each.node}

    def broken() -> Iterator[str]:
        for each in evidence.left:
            yield each.words

    return verdict_of("no process outlives the node that started it", [*processes], broken())


# --- schedules


def every_tick_started_one_run(evidence: Evidence) -> Verdict:
    runs = [run for run in evidence.runs.values() if run.workflow == "ticked"]
    started = Counter(int(dt.datetime.fromisoformat(run.input["tick"]).timestamp()) for run in runs)

    def broken() -> Iterator[str]:
        if runs and not evidence.ticked:
            yield "the schedule never came to an end"
        for schedule in evidence.ticked:
            step = schedule.every
            first = int(schedule.began_at) // step * step + step
            # One more tick may have come while the schedule was being paused.
            end = max([int(schedule.next_at), *(tick + step for tick in started)])
            for tick in range(first, end, step):
                if started[tick] != 1:
                    yield f"tick {tick} of {schedule.schedule} started {started[tick]} runs" + told(schedule)
            if min(started, default=first) < first or any(tick % step for tick in started):
                yield f"{schedule.schedule} started runs at {sorted(started)}" + told(schedule)
            if schedule.skipped:
                yield f"{schedule.schedule} has skipped {schedule.skipped} ticks" + told(schedule)
        for run in runs:
            if run.run.partition("@")[0] != SCHEDULE:
                yield f"run {run.run} is not of the schedule" + told(run)

    return verdict_of("every tick of the schedule started exactly one run", [*started], broken())
