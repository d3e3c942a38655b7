"""Is this history possible? What is checked of DAGs, of processes that run their tasks, and of schedules."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator

from tests.chaos.expected import expected
from tests.chaos.operations import KILL, Evidence, told
from tests.chaos.verdicts import Verdict, verdict_of
from tests.chaos.workloads import SCHEDULE


_SHOWN_WITHIN = 1.5
"""Seconds in which neither its node nor the database is hurt. A task that had to wait for a slot is shown as
running only after a while; if its node dies before, nobody knows that it ever began."""


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
    deaths = {each.process: each for each in evidence.hurts if each.fault.startswith(KILL)}
    hurt = {each.process for each in evidence.hurts}
    begun = {(each.task, each.attempt) for each in evidence.begun}
    cases = [
        began
        for began in evidence.begun
        if began.node in deaths
        and evidence.peace(deaths[began.node].whom, began.at, deaths[began.node].at) > _SHOWN_WITHIN
        and (began.process, began.task) not in evidence.finished
        # What ended otherwise, or may have: by a fault of its own, by its heartbeat, or with its run.
        and began.process not in hurt
        and began.label != "watched"
        and began.run in evidence.runs
        and evidence.runs[began.run].status != "cancelled"
    ]

    def broken() -> Iterator[str]:
        for began in cases:
            status = evidence.marked.get((began.task, began.attempt))
            if status != "lost":
                yield f"an attempt ran when its node was killed, and is called {status}" + told(began)
            elif (began.task, began.attempt + 1) not in begun:
                yield "an attempt was lost with its node, and nobody tried again" + told(began)

    promise = "a process task that ran when its node was killed is marked lost, and was tried again"
    return verdict_of(promise, cases, broken())


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
            # One more may have come while it was being stopped.
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
