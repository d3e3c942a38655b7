"""Faults in what clients rely on: they hold up nobody, and messages arrive in order, each for itself."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_UNREAD = "test_a_signal_for_a_workflow_that_no_node_has_waits_for_such_a_node[sqlite]"
_IDLE = "test_an_idle_node_of_another_process_is_known_at_once[sqlite]"

FAULTS = [
    Fault(
        "schema-not-checked",
        "arguments of a workflow that only other processes have are checked before a run is started",
        [
            Code("core.input_schemas:InputSchema.pack").replace(
                "[problem for problem in checked if problem is not None]", "[]"
            )
        ],
        cases(
            "client/test_without_code.py",
            "test_what_is_wrong_inside_of_an_argument_is_named_by_its_path[sqlite-args0-kwargs0-"
            "lines[1].price: expected a number, got 'x']",
        ),
    ),
    Fault(
        "sync-opened-on-an-event-loop",
        "holdfast.sync stops no event loop",
        [Code("sync.loop_thread:LoopThread.start").remove("_check_thread()")],
        cases("sync/test_sync.py", "test_so_is_a_thread_that_runs_an_event_loop_of_its_own"),
    ),
    Fault(
        "sync-calls-cancelled-by-closing",
        "a call that waits while holdfast.sync is closed raises NotOpen",
        [Code("sync.loop_thread:LoopThread.call").replace("raise NotOpen from None", "raise")],
        cases("sync/test_sync.py", "test_calls_that_wait_while_it_is_closed_raise_not_open"),
    ),
    Fault(
        "posts-before-commits",
        "clients do not hold up the engine",
        [Code("stores.lanes:ThreadLane.do").replace("self._urgent if is_urgent else A", "A")],
        cases("stores/test_lanes.py", "test_urgent_jobs_go_before_those_that_wait"),
    ),
    Fault(
        "posts-starved",
        "a busy engine lets messages through",
        [Code("stores.lanes:ThreadLane._next").remove("not (A and B >= C)")],
        cases("stores/test_lanes.py", "test_a_job_does_not_wait_for_urgent_jobs_without_end"),
    ),
    Fault(
        "engine-reads-with-clients",
        "clients do not hold up the engine",
        [
            Code("stores.driver:Driver.read").replace(
                "LaneName.ENGINE_READER if self._is_of_engine else name", "name"
            )
        ],
        cases("stores/test_lanes.py", "test_reads_of_clients_hold_up_no_commit_and_no_peek"),
    ),
    Fault(
        "results-behind-listings",
        "a listing holds up no short read",
        [
            Code("stores.driver:Driver.read").replace(
                "LaneName.LISTER if may_be_long else LaneName.READER", "LaneName.READER"
            )
        ],
        cases("stores/test_lanes.py", "test_a_listing_holds_up_no_short_read_of_another_client"),
    ),
    Fault(
        "pages-behind-listings",
        "a page does not wait for one long listing",
        [Code("stores.lanes:LanePair.do").replace("len(self._lanes) == 1", "not self._lanes")],
        cases("stores/test_lanes.py", "test_a_page_does_not_wait_for_one_long_listing_of_another_client"),
    ),
    *(
        Fault(
            f"listings-without-a-pause-{store}",
            "a listing does not keep the threads of the engine from the GIL",
            [Code(f"stores.{store}.driver:{function}").replace("self.has_pauses", "self.announced is None")],
            cases("stores/test_lanes.py", f"test_a_listing_lets_other_threads_go_on_every_few_rows[{store}]"),
        )
        for store, function in (
            ("sqlite", "SqliteConnection._fetch"),
            ("postgres", "PostgresConnection.rows"),
        )
    ),
    Fault(
        "one-transaction-for-each-message",
        "messages of a process are written in groups",
        [Code("client.group_writing:_MOST_ITEMS").replace("500", "1")],
        cases(
            "client/test_posting.py",
            "test_messages_that_come_while_one_is_written_become_one_group",
        ),
    ),
    Fault(
        "messages-out-of-order",
        "a run hears messages in the order in which they were sent",
        [
            Code("client.group_writing:GroupWriter.write").replace(
                "self._waiting.append(A)", "self._waiting.appendleft(A)"
            )
        ],
        cases(
            "client/test_posting.py",
            "test_messages_are_written_in_the_order_in_which_they_were_sent",
        ),
    ),
    Fault(
        "neighbours-refused",
        "a refused message does not hurt its neighbours",
        [Code("client.group_writing:GroupWriter._send").replace("len(group) == 1", "True")],
        cases(
            "client/test_posting.py",
            "test_a_row_that_the_database_refuses_is_refused_to_its_sender_alone",
        ),
    ),
    Fault(
        "gathered-messages-forgotten",
        "messages that gathered are sent though the caller that writes is cancelled",
        [Code("client.group_writing:GroupWriter.write").replace("self._write_gathered(); raise", "raise")],
        cases(
            "client/test_posting.py",
            "test_those_that_gathered_are_sent_though_the_caller_that_writes_is_cancelled",
        ),
    ),
    Fault(
        "fan-out-ends-when-it-is-looked-at",
        "plain lines are in the order in which things happened",
        [Code("cli.views.plain:_count").replace("line.finished_at if A else None", "None")],
        cases("cli/test_run.py", "test_the_end_of_a_large_fan_out_is_told_before_what_comes_after_it"),
    ),
    Fault(
        "failed-task-behind-a-fan-out",
        "what failed and what runs is shown, however many rows there are",
        [Code("cli.views.run_details:_choose").replace("ranks.index(A) if A in ranks else 9", "9")],
        cases("cli/test_asking.py", "test_what_failed_and_what_runs_is_shown_however_much_came_before_it"),
    ),
    Fault(
        "branches-without-numbers",
        "each branch of a flow can be told from the others",
        [Code("stores.records:_place").replace("_PLACES_IN_FLOWS.get(A)", "None")],
        cases("cli/test_flows.py", "test_branches_and_items_have_their_numbers"),
    ),
    Fault(
        "waits-for-what-has-come",
        "an explanation is not older than the moment of asking",
        [Code("core.explaining:_Explainer._unanswered").replace("any(A)", "False")],
        cases("client/test_explaining.py", _UNREAD),
    ),
    Fault(
        "given-up-waits-explained",
        "a wait that the code has given up is no reason",
        [
            Code("core.explaining:_Explainer._unanswered").replace(
                "self._run.owner is None and self._run.waiting is not None", "False"
            )
        ],
        cases("client/test_explaining.py", "test_a_wait_that_the_code_has_given_up_is_no_reason[sqlite]"),
    ),
    Fault(
        "fired-timers-explained",
        "a timer that has fired is no reason",
        [Code("core.open_requests:OpenRequests._note").replace("asked.seq not in self._over", "True")],
        cases("client/test_explaining.py", "test_a_wait_that_the_code_has_given_up_is_no_reason[sqlite]"),
    ),
    Fault(
        "missing-code-unnoticed",
        "a workflow that no node has is a problem at once",
        [Code("core.situations:nodes_for").replace("len(A) == len(B)", "False")],
        cases("client/test_explaining.py", _UNREAD),
    ),
    Fault(
        "nodes-keep-their-claims-to-themselves",
        "a node says which workflows it serves",
        [Code("engine.admission:Admission.serves").replace("A.decode() if B else C", "C")],
        cases("client/test_explaining.py", _IDLE),
    ),
    Fault(
        "idle-nodes-unknown",
        "a node says that it is there before it has work",
        [Query("sqlite:next_work").replace(") ELSE 0 END END", ") END END")],
        cases("client/test_explaining.py", _IDLE),
    ),
    Fault(
        "slots-of-nobody",
        "a task behind a limit names who holds the slots",
        [Code("client.explaining:Explainer._holders").replace("A == B", "False")],
        cases("client/test_explaining.py", "test_a_task_behind_a_limit_names_who_holds_the_slot[sqlite]"),
    ),
    Fault(
        "misspelt-conditions-mean-every-run",
        "a condition that is not known is refused",
        [Code("client.run_filters:run_filter").remove("check_keywords('condition', A, RunConditions)")],
        cases(
            "client/test_reading_runs.py",
            "test_a_misspelt_condition_is_refused_and_does_not_mean_every_run",
        ),
    ),
    Fault(
        "old-versions-are-started",
        "a client without the code starts the version that was registered last",
        [Query("sqlite:newest_workflow").replace("created_at DESC, version DESC", "created_at, version")],
        cases(
            "client/test_without_code.py",
            "test_the_version_that_was_registered_last_is_started_or_the_one_that_is_named[sqlite]",
        ),
    ),
    Fault(
        "journal-ends-with-its-first-page",
        "a journal is read to its end",
        [Code("client.run_reading:RunReading.journal").replace("len(A) > limit or B", "False")],
        cases(
            "server/v1/test_run_parts.py",
            "test_the_journal_is_read_page_by_page_across_chapters[sqlite]",
        ),
    ),
    Fault(
        "count-of-some-taken-for-all",
        "a number that is not exact says so",
        [Code("client.run_counts:count_states").replace("count <= A", "True")],
        cases("server/v1/test_run_lists.py", "test_a_count_that_is_not_exact_says_so[sqlite]"),
    ),
]
