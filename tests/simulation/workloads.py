"""Everything that is simulated, by name: a seed in, a scenario out."""

from __future__ import annotations

from collections.abc import Callable

from tests.simulation.jobs import draw_jobs
from tests.simulation.programs import draw_program

from holdfast.testing.simulation.simulation import Scenario

WORKLOADS: dict[str, Callable[[int], Scenario]] = {"jobs": draw_jobs, "programs": draw_program}
