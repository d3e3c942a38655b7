"""All workloads of simulations, by name. Each makes a scenario from a seed."""

from __future__ import annotations

from collections.abc import Callable

from tests.simulation.dags import draw_dag_scenario
from tests.simulation.flows import draw_flow_scenario
from tests.simulation.jobs import draw_jobs, draw_lone_tasks
from tests.simulation.life import draw_life
from tests.simulation.programs import draw_program

from holdfast.testing.simulation.simulation import Scenario

MIX = ("jobs", "jobs", "jobs", "dags", "programs", "flows", "tasks", "life", "life")
"""The workloads of consecutive batches of seeds. A program takes days of simulated time, and some four times
as long to run."""

WORKLOADS: dict[str, Callable[[int], Scenario]] = {
    "jobs": draw_jobs,
    "programs": draw_program,
    "dags": draw_dag_scenario,
    "flows": draw_flow_scenario,
    "tasks": draw_lone_tasks,
    "life": draw_life,
}
