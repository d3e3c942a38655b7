"""All known faults. Each was thought of as something that a tired engineer could do on a Friday."""

from __future__ import annotations

from tests.faults import of_dags, of_engines, of_programs, of_stores

FAULTS = {
    fault.name: fault
    for fault in (*of_engines.FAULTS, *of_stores.FAULTS, *of_programs.FAULTS, *of_dags.FAULTS)
}
