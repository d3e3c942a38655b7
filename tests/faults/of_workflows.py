"""Faults in how workflows are published, listed and deleted."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_TESTS = "client/test_workflows.py"

FAULTS = [
    Fault(
        "cancelled-tasks-in-words-of-our-own",
        "the face of a scheduler of DAGs has only the states of that system",
        [Code("server.compat.dags.tasks:status_of").replace("task.status is TaskStatus.CANCELLED", "False")],
        cases("server/dags/test_dags.py", "test_a_run_is_cancelled[sqlite]"),
    ),
    Fault(
        "workflows-overwritten",
        "a text that is to replace one version never replaces another",
        [Code("client.workflows:WorkflowVersions.put").remove("_check_replaced(A, B, C)")],
        cases(
            "server/v1/test_workflows.py", "test_of_many_who_replace_the_same_version_one_succeeds[sqlite]"
        ),
    ),
    Fault(
        "workflows-deleted-under-open-runs",
        "a workflow is not deleted while runs of it have not ended",
        [Code("client.workflows:WorkflowVersions.delete").replace("open_runs or others", "others")],
        cases(_TESTS, "test_a_workflow_with_open_runs_is_not_deleted[sqlite]"),
    ),
    Fault(
        "deleted-definitions-are-lost",
        "runs of a deleted workflow go on with the version that they began with",
        [Query("sqlite:find_workflows").replace("status <> 'draft'", "status = 'published'")],
        cases(_TESTS, "test_a_forced_delete_lets_open_runs_go_on_also_on_another_node[sqlite]"),
    ),
    Fault(
        "numbers-of-deleted-versions-are-used-again",
        "the number of a version never means another definition",
        [
            Code("client.workflows:WorkflowVersions.put").replace(
                "max((A for row in rows if B), default=0)",
                "max((A for row in rows if B and row.status != DELETED), default=0)",
            )
        ],
        cases(_TESTS, "test_the_number_of_a_deleted_version_is_never_used_again[sqlite]"),
    ),
    *(
        Fault(
            f"workflows-of-other-namespaces-are-seen-{store}",
            "a namespace never sees the workflows of another",
            [Query(f"{store}:workflow_version").replace(old, new)],
            cases(_TESTS, f"test_another_namespace_has_none_of_it[{store}]"),
        )
        for store, old, new in (
            ("sqlite", "namespace = ?1", "?1 <> ''"),
            ("postgres", "namespace = $1::text", "$1::text <> ''"),
        )
    ),
    Fault(
        "workflows-of-other-namespaces-are-listed",
        "a namespace never sees the workflows of another",
        [
            Query("sqlite:list_workflows").replace("namespace = ?1 AND name > ?3", "?1 <> '' AND name > ?3"),
            Query("sqlite:list_workflows").replace(
                "namespace = ?1 AND name IN (SELECT name FROM page)",
                "?1 <> '' AND name IN (SELECT name FROM page)",
            ),
        ],
        cases(_TESTS, "test_another_namespace_has_none_of_it[sqlite]"),
    ),
    Fault(
        "published-dags-name-local-files",
        "a published DAG names no file that is not there",
        [Code("authoring.dag.loader:load_text").remove("refuse_files(...)")],
        cases(_TESTS, "test_files_beside_a_dag_are_refused_by_name[sqlite]"),
    ),
    Fault(
        "schedules-of-published-workflows-start-what-the-node-knows",
        "the schedule of a published workflow starts its newest version",
        [
            Code("engine.schedule_firing:ScheduleFirer._pin").replace(
                "version = newest.version", "version = '1'"
            )
        ],
        cases(
            "engine/test_schedule_versions.py",
            "test_the_schedule_of_a_published_flow_starts_its_newest_version_on_any_node[sqlite]",
        ),
    ),
]
