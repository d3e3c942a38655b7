"""How long a test waits for something that must happen.

The limit is generous, because the machine may be busy: it only ends a test that would hang.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

PATIENCE: Final = 60.0
"""Seconds."""
SOON: Final = dt.timedelta(seconds=PATIENCE)
