"""Faults in exporting and importing runs: whole, once, and nowhere twice alive."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

CLIENT = "client/test_archives.py"

FORGED = "client/test_forged_archives.py"

FAULTS = [
    Fault(
        "forged-numbers-imported",
        "a file cannot use up the numbers of the database, nor end the node that takes its runs",
        [Code("core.archive_lines:ArchiveReader._value").replace("A is not int or B", "True")],
        cases(
            FORGED, "test_a_number_that_nobody_counts_to_is_refused[sqlite-messages-id-9223372036854775807]"
        ),
    ),
    Fault(
        "numbers-reserved-without-end",
        "many files together cannot use up the numbers of the database",
        [Code("stores.archives:_reserve_numbers").replace("A > _LAST_RESERVED", "False")],
        cases(FORGED, "test_many_files_do_not_use_up_the_numbers_of_the_database[sqlite]"),
    ),
    Fault(
        "children-of-neighbours-imported",
        "a run is not imported as the child of a run of another namespace",
        [Code("stores.archives:_compare").replace("A.row.get('parent') in B", "False")],
        cases(FORGED, "test_a_run_cannot_be_made_a_child_of_a_neighbours[sqlite]"),
    ),
    Fault(
        "journal-refers-to-old-messages",
        "the journal of an imported run refers to its own messages",
        [Code("core.journal:shift_messages").replace("A[B] += C", "A[B] += 0")],
        cases("stores/test_run_tables.py", "test_a_step_refers_to_messages_by_their_new_numbers"),
    ),
    Fault(
        "numbers-reserved-too-low",
        "numbers of messages are given once",
        [Code("stores.archives:_reserve_numbers").replace("A - 1 > B", "False")],
        cases(
            "stores/test_run_tables.py",
            "test_numbers_that_runs_of_one_batch_have_in_common_are_given_once[postgres]",
        ),
    ),
    Fault(
        "cut-file-accepted",
        "a file that lacks its end is refused",
        [Code("core.archive_lines:ArchiveReader.close").replace("self._is_open", "False")],
        cases(CLIENT, "test_a_file_is_refused_before_its_first_run_is_written"),
    ),
    Fault(
        "changed-lines-accepted",
        "a file with fewer lines than it says is refused",
        [
            Code("core.archive_lines:ArchiveReader._end_run").replace(
                "A.get('lines') != self._lines", "False"
            ),
            Code("core.archive_lines:ArchiveReader._end_run").replace("A.get('sha256') != B", "False"),
        ],
        cases(CLIENT, "test_a_file_that_is_not_whole_is_refused_and_nothing_is_written"),
    ),
    Fault(
        "live-runs-imported-silently",
        "a run that has not ended is imported only if the caller says so",
        [Code("client.archives:_Import._count").replace("A.is_live and not self._allows_live", "False")],
        cases(CLIENT, "test_a_live_run_is_refused_by_name_unless_the_caller_says_so[sqlite]"),
    ),
    Fault(
        "imported-runs-keep-their-owner",
        "an imported run belongs to no node",
        [Code("stores.archives:_Writer.add_run").replace("A in B and C is not None", "False")],
        cases(CLIENT, "test_a_run_that_a_node_had_is_due_at_once"),
    ),
    Fault(
        "old-items-dropped-after-an-import",
        "items of streams are there for a day after an import",
        [Code("stores.archives:_Writer.add_run").replace("max(A, B)", "A")],
        cases(CLIENT, "test_old_items_of_streams_are_kept_for_a_day_after_an_import[sqlite]"),
    ),
    Fault(
        "called-flows-left-behind",
        "a run finds the flows that it calls where it is imported",
        [Code("client.client:Client._calls_of").replace("self._workflows.startable_as(A).calls", "()")],
        cases(CLIENT, "test_the_flows_that_a_flow_may_call_are_exported_with_it[sqlite]"),
    ),
    Fault(
        "live-parents-imported-alone",
        "a run is not imported to wait for ever for a child that is not there",
        [Code("client.archives:_Import.refuse_parents").replace("A not in B and A not in C", "False")],
        cases(CLIENT, "test_a_live_parent_is_refused_without_the_children_it_waits_for[sqlite]"),
    ),
    Fault(
        "run-of-another-namespace-imported",
        "a key belongs to one namespace of a database",
        [Query("sqlite:run_namespaces").replace("namespace <> ?1", "false AND namespace <> ?1")],
        cases(CLIENT, "test_a_run_of_another_namespace_is_refused[sqlite]"),
    ),
]
