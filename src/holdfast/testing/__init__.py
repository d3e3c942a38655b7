"""Tools to test workflows. Holdfast's own tests use the same ones."""

from holdfast.testing.clock import ManualClock
from holdfast.testing.durability import assert_durable
from holdfast.testing.environment import Environment
from holdfast.testing.simulation import SimulatedRun, SimulationSummary, simulate

__all__ = ["Environment", "ManualClock", "SimulatedRun", "SimulationSummary", "assert_durable", "simulate"]
