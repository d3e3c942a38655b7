"""The workload `life`: random programs and random clients that use everything a run can be used for.

`programs` has what runs do, `deeds` what users do to them. `observing` watches all runs. `finishing` ends
every run by doing what `explain` says, and `promises` checks what came of it. A new feature is a new kind of
act in `programs.DRAW`, or a new kind of deed in `deeds.DRAW`.
"""

from tests.simulation.life.scenario import draw_life

__all__ = ["draw_life"]
