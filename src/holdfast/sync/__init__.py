"""holdfast without `await`, for Flask, Django and scripts: `from holdfast.sync import Holdfast`.

Tasks and workflows are written as always, with names from `holdfast`.
"""

from holdfast.sync.calls import Flows, Run, Schedules, WorkflowVersions
from holdfast.sync.holdfast import Holdfast

__all__ = ["Flows", "Holdfast", "Run", "Schedules", "WorkflowVersions"]
