"""Every workload, by name."""

from __future__ import annotations

from bench.backlog import measure_backlog
from bench.chapters import measure_chapters
from bench.clients import measure_clients
from bench.fleet import measure_fleet, measure_latency_across_processes
from bench.histories import measure_long_histories
from bench.idle import measure_idle
from bench.listings import measure_many_rows
from bench.memory import measure_memory, measure_sleeping
from bench.over_http import measure_server
from bench.processes import (
    measure_many_at_once,
    measure_offered,
    measure_spawning,
    measure_wide_dag,
)
from bench.pruning import measure_pruning
from bench.streams import measure_streams
from bench.throughput import (
    measure_fan_out,
    measure_few_sequences,
    measure_latency,
    measure_lone_tasks,
    measure_many_sequences,
    measure_one_task_runs,
    measure_wide_fan_out,
)
from bench.tracing import measure_tracing
from bench.trial import Workload
from bench.waiting import measure_flows, measure_waiting

WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("W1", "10,000 runs of one task", measure_one_task_runs),
        Workload("W1t", "10,000 tasks, each started by itself", measure_lone_tasks),
        Workload("W2", "200 runs of 10 tasks in sequence", measure_few_sequences),
        Workload("W2b", "2,000 runs of 10 tasks in sequence", measure_many_sequences),
        Workload("W3", "one run, fan-out of 1,000, join", measure_fan_out),
        Workload("W3b", "one run, fan-out of 100,000, join", measure_wide_fan_out),
        Workload("W4", "200 runs of one task, one at a time", measure_latency),
        Workload("W4b", "W4 with the node in another process", measure_latency_across_processes),
        Workload("W5", "memory: idle, after W1, then 10,000 sleeping runs", measure_memory),
        Workload("W5b", "memory: 10,000 sleeping runs in a fresh process", measure_sleeping),
        Workload("W6", "500 commands `true`, against spawning them bare", measure_spawning),
        Workload("W6b", "500 commands `sleep 2` at once", measure_many_at_once),
        Workload("W6c", "155 commands a second for a minute", measure_offered),
        Workload("W7", "claims from a backlog of 1,000,000 and of 1,000", measure_backlog, databases=2),
        Workload("W8", "statements of an idle node", measure_idle),
        Workload("W10", "10,000 approvals open, and a run beside them", measure_waiting, databases=2),
        Workload("W11", "2,000 runs of a flow of 10 nodes in sequence", measure_flows),
        Workload("W12", "a run with a history of 100,000 events", measure_long_histories),
        Workload("W13", "lists, claims and a run beside 1,000,000 runs", measure_many_rows, databases=2),
        Workload("W14", "10,000 signals and 30 listings within 10 s, and a run beside them", measure_clients),
        Workload("W15", "four nodes on one Postgres: a batch, and signals", measure_fleet),
        Workload("W16", "5,000 items a second, read in another process", measure_streams),
        Workload("W17", "1,000,000 ended runs are deleted beside W2b", measure_pruning),
        Workload("W18", "a loop of 2,000 tasks in chapters of 200", measure_chapters),
        Workload("W19", "starts and pages of 1,000,000 runs over HTTP", measure_server, databases=2),
        Workload("W20", "W1 without tracing, and with it", measure_tracing),
        Workload("W9", "a DAG's fan-out of 100,000 functions, 100 at a time", measure_wide_dag),
    )
}


def named(prefix: str) -> list[Workload]:
    """`W2` means W2 and W2b; `W2b` means itself."""
    return [each for name, each in WORKLOADS.items() if name == prefix or name.rstrip("bct") == prefix]
