"""The progress of a run, counted from its tasks in pages of any size."""

from __future__ import annotations

from collections import Counter

import hypothesis.strategies as st
from hypothesis import given
from tests.cli.builders import after, attempt, dag, task

from holdfast.cli.views.progress import RunProgress
from holdfast.client.run import TaskInfo
from holdfast.core.values import TaskStatus


def test_a_task_is_counted_where_it_stands_and_only_once():
    progress = RunProgress()

    progress.apply([task(0, "pack", "pending"), task(1, "pack", "running")])
    progress.apply([task(0, "pack", "running"), task(1, "pack", "success")])
    progress.apply([task(0, "pack", "running"), task(1, "pack", "success")])

    line = progress.lines["pack"]
    assert {status: count for status, count in line.counts.items() if count} == {
        TaskStatus.RUNNING: 1,
        TaskStatus.SUCCESS: 1,
    }
    assert (line.asked_for, line.done, line.state) == (2, 1, "running")


def test_only_what_has_changed_is_told():
    progress = RunProgress()
    first = progress.apply([task(0, "pack", "running")])

    second = progress.apply([task(0, "pack", "running")])
    third = progress.apply([task(0, "pack", "pending", attempt=2, retry_at=after(3))])

    assert [(each.before, each.attempt_before) for each in first] == [(None, 1)]
    assert second == []
    assert [(each.before, each.attempt_before) for each in third] == [(TaskStatus.RUNNING, 1)]


def test_it_asks_on_from_the_lowest_that_has_not_ended_and_passes_numbers_that_were_never_used():
    progress = RunProgress()

    progress.apply([task(0, "a", "success"), task(2, "b", "running"), task(3, "c", "success")])
    before = progress.next
    progress.apply([task(2, "b", "failed"), task(3, "c", "success")])

    assert before == 2
    assert progress.next == 4


def test_what_was_forgotten_is_not_counted_again_by_a_later_page():
    progress = RunProgress()
    progress.apply([task(seq, "a", "success" if seq != 1 else "running") for seq in range(10)])

    progress.apply([task(1, "a", "success")])
    progress.apply([task(seq, "a", "success") for seq in range(2, 10)])

    assert progress.lines["a"].asked_for == 10


@given(st.data())
def test_whatever_the_portions_the_counts_are_those_of_the_tasks(data: st.DataObject):
    states = ["pending", "dispatched", "running", "success"]
    stands = [0] * data.draw(st.integers(1, 12), label="tasks")
    progress = RunProgress()

    for _ in range(data.draw(st.integers(1, 6), label="looks")):
        since, page = progress.next, data.draw(st.integers(1, 12), label="page")
        while True:
            for seq, stand in enumerate(stands):  # they go on while the pages are read
                stands[seq] = data.draw(st.integers(stand, 3))
            shown = [task(seq, "a", states[stand]) for seq, stand in enumerate(stands) if seq >= since][:page]
            progress.apply(shown)
            if len(shown) < page:
                break
            since = shown[-1].seq + 1
        assert progress.lines["a"].asked_for == len(stands)
    stands = [3] * len(stands)
    progress.apply(task(seq, "a", "success") for seq in range(progress.next, len(stands)))

    assert progress.lines["a"].counts[TaskStatus.SUCCESS] == len(stands)
    assert progress.next == len(stands)


def test_a_fan_out_is_under_way_until_all_its_items_have_ended_also_while_none_runs():
    progress = RunProgress(dag("  each: {parallel: 4, concurrency: 1, command: 'true'}\n"))

    progress.apply([task(0, "each", "success", index=0, count=4)])
    between = progress.lines["each"].state
    progress.apply([task(seq, "each", "success", index=seq, count=4) for seq in range(1, 4)])

    assert between == "running"
    assert progress.lines["each"].state == "success"


def test_one_failure_makes_the_line_failed_when_it_is_over():
    progress = RunProgress()

    progress.apply([task(0, "a", "failed", problem="x"), task(1, "a", "running")])
    during = progress.lines["a"].state
    progress.apply([task(1, "a", "success")])

    assert during == "running"
    assert progress.lines["a"].state == "failed"
    assert [each.problem for each in progress.lines["a"].failed] == ["x"]


def test_a_wait_for_another_try_is_told_from_one_for_a_place():
    progress = RunProgress()

    progress.apply([task(0, "again", "pending", attempt=2, retry_at=after(3)), task(1, "new", "pending")])

    assert progress.lines["again"].state == "retrying"
    assert progress.lines["new"].state == "queued"


def test_losses_are_counted_once_each():
    progress = RunProgress()

    progress.apply([task(0, "a", "running", attempt=2, lost=1)])
    progress.apply([task(0, "a", "running", attempt=3, lost=2)])
    progress.apply([task(0, "a", "success", attempt=3, lost=2)])

    assert progress.lines["a"].lost == 2


def test_tasks_of_a_dag_stand_in_the_order_of_the_file_with_the_depth_of_what_they_wait_for():
    progress = RunProgress(
        dag(
            "  last: {depends_on: [left, right], command: 'true'}\n"
            "  right: {depends_on: [first], command: 'true'}\n"
            "  first: {command: 'true', retries: {max_attempts: 3}}\n"
            "  left: {depends_on: [right], command: 'true'}\n"
        )
    )

    assert [(line.name, line.depth) for line in progress.lines.values()] == [
        ("last", 3),
        ("right", 1),
        ("first", 0),
        ("left", 2),
    ]
    assert progress.lines["first"].outline.max_attempts == 3


def test_a_chain_longer_than_the_stack_is_deep_is_laid_out():
    links = "".join(f"  t{each}: {{depends_on: [t{each - 1}], command: x}}\n" for each in range(1, 1500))

    progress = RunProgress(dag("  t0: {command: x}\n" + links))

    assert progress.lines["t1499"].depth == 1499


def test_a_fan_out_over_nothing_is_over_when_what_follows_begins_or_the_run_succeeds():
    tasks = "  many: {parallel: input.n, command: 'true'}\n  after: {depends_on: [many], command: 'true'}\n"
    progress, other = RunProgress(dag(tasks)), RunProgress(dag(tasks))

    progress.find_empty(is_success=False)
    before = progress.lines["many"].state
    progress.apply([task(0, "after", "running")])
    progress.find_empty(is_success=False)
    other.find_empty(is_success=True)

    assert before == "waiting"
    assert progress.lines["many"].state == "success"
    assert other.lines["many"].state == "success"


def test_at_the_end_of_the_run_what_was_not_asked_for_is_left_out_of_account():
    progress = RunProgress(dag("  each: {parallel: 4, concurrency: 1, command: 'true'}\n"))
    progress.apply(
        [task(0, "each", "success", index=0, count=4), task(1, "each", "cancelled", index=1, count=4)]
    )

    progress.close()

    assert progress.lines["each"].state == "cancelled"


def test_why_an_attempt_failed_is_kept_until_the_task_has_ended():
    progress = RunProgress()
    progress.apply([task(0, "a", "pending", attempt=2, retry_at=after(3))])

    progress.note_attempts([attempt(0, problem="no luck"), attempt(7)])
    during = dict(progress.unsuccessful)
    progress.apply([task(0, "a", "success", attempt=2)])

    assert {seq: each.problem for seq, each in during.items()} == {0: "no luck"}
    assert progress.unsuccessful == {}


RETRIED = """\
  first: {command: 'true'}
  review: {approval: {message: 'Ship it?'}, depends_on: first}
  many: {parallel: 3, depends_on: review, command: 'true'}
  last: {depends_on: many, command: 'true'}
"""


def failed_once() -> list[TaskInfo]:
    ended = [task(0, "first", "success"), task(1, "review", "failed", problem="no")]
    return [*ended, task(2, "many", "skipped"), task(3, "last", "skipped")]


def counts(progress: RunProgress) -> dict[str, int]:
    found = Counter(status.value for line in progress.lines.values() for status in line.counts.elements())
    return dict(found)


def test_rows_from_before_a_retry_do_not_count_where_there_are_new_ones():
    progress = RunProgress(dag(RETRIED))
    progress.apply(failed_once())

    progress.apply([task(4, "review", "success", started_at=after(7), finished_at=after(9))])
    progress.apply([task(5 + each, "many", "success", index=each, count=3) for each in range(3)])
    progress.apply([task(8, "last", "success")])

    assert counts(progress) == {"success": 6}
    assert progress.replaced == {1, 2, 3}
    assert progress.lines["review"].failed == []
    assert progress.lines["review"].started_at == after(7)
    assert not progress.lines["review"].is_fan_out
    assert (progress.lines["many"].done, progress.lines["many"].expected) == (3, 3)


def test_what_was_skipped_waits_again_while_what_it_depends_on_is_tried_again():
    progress = RunProgress(dag(RETRIED))
    progress.apply(failed_once())
    before = [line.state for line in progress.lines.values()]

    progress.apply([task(4, "review", "running")])

    assert before == ["success", "failed", "skipped", "skipped"]
    assert [line.state for line in progress.lines.values()] == ["success", "running", "waiting", "waiting"]
    assert not progress.lines["last"].is_over


def test_what_is_skipped_again_is_counted_once():
    progress = RunProgress(dag(RETRIED))
    progress.apply(failed_once())

    progress.apply([task(4, "review", "failed"), task(5, "many", "skipped"), task(6, "last", "skipped")])

    assert counts(progress) == {"success": 1, "failed": 1, "skipped": 2}
    assert progress.totals() == {"success": 1, "failed": 1, "skipped": 2}


def test_code_that_asks_for_a_task_of_one_name_again_has_asked_for_two():
    progress = RunProgress()

    progress.apply([task(0, "pay", "failed"), task(1, "pay", "success")])

    assert counts(progress) == {"failed": 1, "success": 1}
