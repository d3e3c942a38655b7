"""Is this history possible? The checks of a chaos run, as pure functions of its evidence.

Each check states a promise, counts the cases it looked at, and lists the cases that are impossible if
holdfast keeps the promise. A check without cases proves nothing, so the report shows the count.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from tests.chaos.expected import expected
from tests.chaos.notebook import Began, RunAtEnd
from tests.chaos.operations import Evidence, Operation, told
from tests.chaos.process_history import (
    every_tick_started_one_run,
    no_process_is_left,
    skipped_tasks_never_begin,
    what_ran_on_a_dead_node_is_lost_and_tried_again,
)
from tests.chaos.verdicts import Verdict, verdict_of
from tests.chaos.workloads import CLOSE

FINAL = frozenset({"success", "failed", "cancelled"})
HEARD_WITHIN = 8.0
"""An answer must come within so many seconds in which no fault hit the waiting client or the database."""
_UNLIKELY = ("NodeStopped", "unexpected")


def judge(evidence: Evidence) -> list[Verdict]:
    return [check(evidence) for check in CHECKS]


# --- starts


def acknowledged_starts_are_there(evidence: Evidence) -> Verdict:
    starts = [each for each in evidence.operations if each.action == "start" and each.fate == "ok"]

    def broken() -> Iterator[str]:
        for start in starts:
            run = evidence.runs.get(start.run)
            if run is None:
                yield f"run {start.run} was acknowledged, and there is none" + told(start)
            elif start.answer != run.key:
                yield f"run {start.run} was acknowledged under another key" + told(start, run)

    return verdict_of("a start that was acknowledged is there, the same for all who asked", starts, broken())


def refused_starts_left_nothing(evidence: Evidence) -> Verdict:
    starts = evidence.by_run("start")
    refused = [run for run, asked in starts.items() if not any(each.may_have_happened for each in asked)]

    def broken() -> Iterator[str]:
        for run in refused:
            if run in evidence.runs:
                yield f"every start of {run} was refused, and it is there" + told(*starts[run])

    return verdict_of("a start that was refused left nothing", refused, broken())


def runs_were_asked_for(evidence: Evidence) -> Verdict:
    starts = evidence.by_run("start")
    roots = [run for run in evidence.runs.values() if "/" not in run.run and run.workflow != "ticked"]

    def broken() -> Iterator[str]:
        for run in roots:
            asked = [each for each in starts[run.run] if each.may_have_happened]
            if {"workflow": run.workflow, "arguments": list(run.input.values())} not in [
                {**each.value, "arguments": list(each.value["arguments"])} for each in asked
            ]:
                yield f"nobody asked for run {run.run} as it is" + told(run, *asked)

    return verdict_of("every run was asked for, with these arguments", roots, broken())


def what_was_started_can_be_found(evidence: Evidence) -> Verdict:
    acknowledged: dict[str, float] = {}
    for start in evidence.operations:
        if start.action == "start" and start.fate == "ok":
            acknowledged[start.run] = min(start.ended_at, acknowledged.get(start.run, math.inf))
    later = [each for each in evidence.operations if each.began_at > acknowledged.get(each.run, math.inf)]

    def broken() -> Iterator[str]:
        for each in later:
            if each.error.startswith("RunNotFound"):
                yield f"run {each.run} was acknowledged and then not found" + told(each)

    return verdict_of("who asks for a run after it was acknowledged finds it", later, broken())


# --- ends


def every_run_ended(evidence: Evidence) -> Verdict:
    def broken() -> Iterator[str]:
        if evidence.settled is None:
            yield "the judge never came to an end"
        for run in evidence.runs.values():
            if run.status not in FINAL:
                yield f"run {run.run} has not ended" + told(run)

    return verdict_of("every run ended, in bounded time after the last fault", [*evidence.runs], broken())


def results_are_right(evidence: Evidence) -> Verdict:
    ended = [run for run in evidence.runs.values() if run.status in FINAL]

    def broken() -> Iterator[str]:
        for run in ended:
            if run.status not in _statuses_of(run):
                yield f"run {run.run} ended as {run.status}" + told(run)
            wanted = expected(run.workflow, run.input).result
            if run.status == "success" and wanted is not None and run.output != wanted:
                yield f"run {run.run} has a wrong result" + told(run)

    return verdict_of("every run ended as it should, with the right result", ended, broken())


def _statuses_of(run: RunAtEnd) -> set[str]:
    wanted = expected(run.workflow, run.input).status
    # When a parent fails, the children that it no longer waits for are cancelled.
    is_left_behind = run.run.startswith("mended_family") and "/" in run.run
    return {wanted, "cancelled"} if is_left_behind else {wanted}


def results_never_change(evidence: Evidence) -> Verdict:
    seen = {run: [each for each in asked if each.answer] for run, asked in _looks(evidence).items()}
    retries = evidence.by_run("retry")

    def broken() -> Iterator[str]:
        for name, looks in seen.items():
            run = evidence.runs.get(name)
            if run is None:
                continue
            final = [run.status]
            if run.status != "cancelled":
                final.append(run.output if run.status == "success" else run.failure)
            for look in looks:
                if look.answer == final:
                    continue
                # Another end was seen. Only a retry can have changed it, and only if that end was no success.
                tried = [each for each in retries[name] if each.may_have_happened]
                if look.answer[0] == "success" or not tried:
                    yield f"run {name} was seen to end otherwise" + told(look, *tried, run)
            good = [look for look in looks if look.answer[0] == "success"]
            for look in looks:
                if look.answer[0] != "success" and any(one.ended_at < look.began_at for one in good):
                    yield f"run {name} had succeeded, and then not" + told(*good, look)

    looks = [each for asked in seen.values() for each in asked]
    return verdict_of("all saw the same result, and it never changed", looks, broken())


def _looks(evidence: Evidence) -> dict[str, list[Operation]]:
    asked = evidence.by_run("result", "status")
    return {run: [each for each in looks if each.fate == "ok"] for run, looks in asked.items()}


def _known_ends(evidence: Evidence) -> dict[str, float]:
    """When a client or the observer first knew that a run had ended for good."""
    retried = evidence.by_run("retry")
    ends = dict(evidence.over)
    for run, looks in _looks(evidence).items():
        if run not in retried:
            seen = [look.ended_at for look in looks if look.answer]
            ends[run] = min([ends.get(run, math.inf), *seen])
    return ends


def who_waits_hears_of_the_end(evidence: Evidence) -> Verdict:
    ends = _known_ends(evidence)
    waits = [each for each in evidence.operations if each.action == "result" and each.run in ends]

    def broken() -> Iterator[str]:
        for wait in waits:
            until = min(wait.ended_at, wait.gave_up_at)
            since = max(wait.began_at, ends[wait.run])
            process = wait.client.rpartition(".")[0]
            if until < math.inf and evidence.peace(process, since, until) > HEARD_WITHIN:
                yield f"a client waited for {wait.run}, which was over since {since:.3f}" + told(wait)

    return verdict_of(f"who waits for a run hears of its end within {HEARD_WITHIN:.0f} s", waits, broken())


# --- messages


def signals_arrive_once_and_in_order(evidence: Evidence) -> Verdict:
    letters = evidence.by_run("signal")
    boxes = [run for run in evidence.runs.values() if run.workflow == "mailbox" and run.status == "success"]

    def broken() -> Iterator[str]:
        for box in boxes:
            yield from _broken_mail(box, letters[box.run])

    count = [each for box in boxes for each in letters[box.run]]
    return verdict_of(
        "an acknowledged signal arrived once and in order, any other at most once", count, broken()
    )


def _broken_mail(box: RunAtEnd, letters: list[Operation]) -> Iterator[str]:
    received = Counter(box.output)
    sent = {letter.value: letter for letter in letters if letter.value != CLOSE}
    closed_at = min(
        (each.began_at for each in letters if each.value == CLOSE and each.may_have_happened),
        default=math.inf,
    )
    for value, times in received.items():
        if value not in sent:
            yield f"{box.run} received {value!r}, which nobody sent" + told(box)
        elif times > 1 or not sent[value].may_have_happened:
            yield f"{box.run} received {value!r} {times} times" + told(sent[value], box)
    for letter in sent.values():
        if letter.fate == "ok" and letter.ended_at < closed_at and letter.value not in received:
            yield f"{box.run} never received {letter.value!r}" + told(letter, box)
    newest: Operation | None = None
    for value in box.output:
        letter = sent.get(value)
        if letter is None:
            continue
        if newest is not None and letter.ended_at < newest.began_at:
            yield f"{box.run} received {value!r} after one that was sent later" + told(letter, newest, box)
        if newest is None or letter.began_at > newest.began_at:
            newest = letter


def promises_have_one_winner(evidence: Evidence) -> Verdict:
    resolves = evidence.by_run("resolve")
    runs = [
        run
        for run in evidence.runs.values()
        if run.workflow in ("ballot", "deadline") and run.status == "success"
    ]

    def broken() -> Iterator[str]:
        for run in runs:
            yield from _broken_promise(run, resolves[run.run])

    return verdict_of("a promise has one winner, and whoever was told ok is it", runs, broken())


def _broken_promise(run: RunAtEnd, resolves: list[Operation]) -> Iterator[str]:
    accepted = [each for each in resolves if each.fate == "ok"]
    is_ballot = run.workflow == "ballot"
    winners = run.output[1:] if is_ballot else [run.output]
    is_late = not is_ballot and run.output == f"{run.input['who']}:late"
    if len(accepted) > 1:
        yield f"two were told that they settled the promise of {run.run}" + told(*accepted, run)
    if len(set(winners)) > 1:
        yield f"the promise of {run.run} had two values" + told(run)
    proposed = {each.value for each in resolves if each.may_have_happened}
    if not is_late and winners[0] not in proposed:
        yield f"nobody gave {run.run} the value {winners[0]!r}" + told(*resolves, run)
    if not is_late and accepted and accepted[0].value != winners[0]:
        yield f"the answer to {run.run} that was accepted is not the one it has" + told(*accepted, run)
    for each in resolves:
        if each.error.startswith("PromiseSettled") and not (proposed - {each.value}):
            yield f"a promise of {run.run} was called settled, and nobody had settled it" + told(each, run)


def cancelled_means_cancelled(evidence: Evidence) -> Verdict:
    cancels = evidence.by_run("cancel")
    cleaned = {each.run for each in evidence.begun if each.label == "cleanup"}
    was_begun = {each.run for each in evidence.begun}
    asked = [each for operations in cancels.values() for each in operations]

    def broken() -> Iterator[str]:
        for operation in asked:
            run = evidence.runs.get(operation.run)
            if operation.fate == "ok" and run is not None and run.status != "cancelled":
                yield f"run {run.run} was cancelled and went on" + told(operation, run)
        for run in evidence.runs.values():
            root = run.run.partition("/")[0]
            if run.status != "cancelled":
                continue
            is_endless = expected(run.workflow, run.input).status == "cancelled"
            if is_endless and not any(each.may_have_happened for each in cancels[root]):
                yield f"run {run.run} was cancelled, and nobody had asked for it" + told(run)
            if run.workflow == "endless" and run.run in was_begun - cleaned:
                yield f"run {run.run} was cancelled without its cleanup" + told(run)

    return verdict_of("a cancelled run is cancelled, with its children, after its cleanup", asked, broken())


# --- tasks


def recorded_tasks_do_not_begin_again(evidence: Evidence) -> Verdict:
    def broken() -> Iterator[str]:
        for began in evidence.begun:
            known_at = evidence.recorded.get(began.task, math.inf)
            if began.at > known_at and not evidence.is_excused(began):
                yield f"a task began that stood as done since {known_at:.3f}" + told(began)

    return verdict_of("no task began after it stood in the database as done", [*evidence.recorded], broken())


def no_task_begins_after_its_consequences(evidence: Evidence) -> Verdict:
    firsts: dict[tuple[str, str], Began] = {}
    """By run and task: the first task whose input was made of its outcome."""
    cases: list[Began] = []
    broken: list[str] = []
    for began in evidence.begun:
        consequence = firsts.get((began.run, began.label))
        if consequence is not None and not evidence.is_excused(began):
            broken.append(
                f"task {began.label} of {began.run} began after one made of its outcome"
                + told(consequence, began)
            )
        for label in began.after:
            cases.append(began)
            firsts.setdefault((began.run, label), began)
    return Verdict("no task began after another was made of its outcome", len(cases), broken)


def no_task_begins_after_the_end(evidence: Evidence) -> Verdict:
    ends = _known_ends(evidence)

    def broken() -> Iterator[str]:
        for began in evidence.begun:
            end = ends.get(began.run, math.inf)
            if began.at > end and not evidence.is_excused(began):
                yield f"a task of {began.run} began though it was seen to be over at {end:.3f}" + told(began)

    return verdict_of("no task began after its run was seen to be over", [*ends], broken())


def tasks_belong_to_runs(evidence: Evidence) -> Verdict:
    def broken() -> Iterator[str]:
        for began in evidence.begun:
            run = evidence.runs.get(began.run)
            if run is None or began.task.partition(":")[0].replace("-", "") != run.key:
                yield f"a task began of a run that is not there: {began.run}" + told(began)

    return verdict_of("every task that began belongs to a run that is there", evidence.begun, broken())


def what_is_recorded_was_done(evidence: Evidence) -> Verdict:
    begun = {each.task for each in evidence.begun}
    labels: dict[str, set[str]] = defaultdict(set)
    for each in evidence.begun:
        labels[each.run].add(each.label)
    good = [run for run in evidence.runs.values() if run.status == expected(run.workflow, run.input).status]

    def broken() -> Iterator[str]:
        for task in evidence.recorded.keys() - begun:
            yield f"task {task} stands as done, and nobody ever began it"
        for run in good:
            missing = expected(run.workflow, run.input).labels - labels[run.run]
            if missing:
                yield f"run {run.run} ended as {run.status}, and nobody did {sorted(missing)}" + told(run)

    return verdict_of("what stands as done was done", [*evidence.recorded, *good], broken())


def idempotency_keys_are_stable(evidence: Evidence) -> Verdict:
    keys: dict[tuple[str, str], set[str]] = defaultdict(set)
    labels: dict[str, set[str]] = defaultdict(set)
    for each in evidence.begun:
        keys[each.run, each.label].add(each.key or each.task)
        labels[each.task].add(each.label)

    def broken() -> Iterator[str]:
        for (run, label), found in keys.items():
            # A retry of a failed run gives the tasks after the failure new numbers.
            if len(found) > 1 and not run.startswith("mended"):
                yield f"task {label} of {run} had several keys: {sorted(found)}"
        for task, found in labels.items():
            if len(found) > 1:
                yield f"key {task} was given to several tasks: {sorted(found)}"

    return verdict_of("every attempt at a task has the same key, and no other task has it", [*keys], broken())


# --- the rest


def nothing_is_stranded(evidence: Evidence) -> Verdict:
    def broken() -> Iterator[str]:
        for each in evidence.stranded:
            yield f"the doctor found {each.run}: {each.problem}" + told(each)

    return verdict_of("the doctor never found a run that nothing would wake", [*evidence.runs], broken())


def nobody_failed_by_itself(evidence: Evidence) -> Verdict:
    def broken() -> Iterator[str]:
        for each in evidence.died:
            yield f"{each.whom}: {each.words}"
        for operation in evidence.operations:
            if operation.error.startswith(_UNLIKELY):
                yield "a client got an error that is nobody's fault but ours" + told(operation)

    cases = [*evidence.operations, *evidence.hurts]
    return verdict_of("no process failed by itself, no client got an odd error", cases, broken())


CHECKS: list[Callable[[Evidence], Verdict]] = [
    acknowledged_starts_are_there,
    refused_starts_left_nothing,
    runs_were_asked_for,
    what_was_started_can_be_found,
    every_run_ended,
    results_are_right,
    results_never_change,
    who_waits_hears_of_the_end,
    signals_arrive_once_and_in_order,
    promises_have_one_winner,
    cancelled_means_cancelled,
    recorded_tasks_do_not_begin_again,
    no_task_begins_after_its_consequences,
    no_task_begins_after_the_end,
    tasks_belong_to_runs,
    what_is_recorded_was_done,
    idempotency_keys_are_stable,
    skipped_tasks_never_begin,
    what_ran_on_a_dead_node_is_lost_and_tried_again,
    no_process_is_left,
    every_tick_started_one_run,
    nothing_is_stranded,
    nobody_failed_by_itself,
]
