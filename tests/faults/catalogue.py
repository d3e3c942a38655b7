"""All known faults. Each is a mistake that an engineer could make."""

from __future__ import annotations

from tests.faults import (
    of_access,
    of_archives,
    of_bulk,
    of_chapters,
    of_clients,
    of_commands,
    of_dags,
    of_databases,
    of_engines,
    of_fleets,
    of_flows,
    of_leases,
    of_live,
    of_programs,
    of_questions,
    of_remote,
    of_retention,
    of_secrets,
    of_signals,
    of_stores,
    of_streams,
    of_telemetry,
    of_terms,
    of_testing,
    of_updates,
    of_watching,
    of_workers,
    of_workflows,
)

FAULTS = {
    fault.name: fault
    for module in (
        of_engines,
        of_fleets,
        of_leases,
        of_live,
        of_stores,
        of_streams,
        of_watching,
        of_programs,
        of_dags,
        of_flows,
        of_workers,
        of_workflows,
        of_archives,
        of_bulk,
        of_clients,
        of_databases,
        of_testing,
        of_retention,
        of_terms,
        of_updates,
        of_signals,
        of_chapters,
        of_questions,
        of_access,
        of_secrets,
        of_remote,
        of_telemetry,
        of_commands,
    )
    for fault in module.FAULTS
}
