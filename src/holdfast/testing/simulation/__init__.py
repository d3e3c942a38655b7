"""A world in one thread, on a clock that is not real, where everything goes wrong that can."""

from holdfast.testing.simulation.simulate import SimulatedRun, SimulationSummary, simulate

__all__ = ["SimulatedRun", "SimulationSummary", "simulate"]
