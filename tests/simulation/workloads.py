"""Everything that is simulated, by name: a seed in, a scenario out."""

from __future__ import annotations

from collections.abc import Callable

from tests.simulation.dags import draw_dag_scenario
from tests.simulation.flows import draw_flow_scenario
from tests.simulation.jobs import draw_jobs
from tests.simulation.programs import draw_program

from holdfast.testing.simulation.simulation import Scenario

MIX = ("jobs", "jobs", "jobs", "dags", "programs", "flows")
"""In what order batches of seeds are made of them. A program takes days, and some four times as long."""

WORKLOADS: dict[str, Callable[[int], Scenario]] = {
    "jobs": draw_jobs,
    "programs": draw_program,
    "dags": draw_dag_scenario,
    "flows": draw_flow_scenario,
}
