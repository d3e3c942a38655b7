"""Simulation: nodes, clients and a database in one thread, on a simulated clock, with faults."""

from holdfast.testing.simulation.simulate import SimulatedRun, SimulationSummary, simulate

__all__ = ["SimulatedRun", "SimulationSummary", "simulate"]
