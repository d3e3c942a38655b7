"""Sizes in bytes that bound what a node and a process tell each other. The node and its Python workers share
them."""

from __future__ import annotations

from typing import Final

LARGEST_OUTPUT: Final = 64 * 1024 * 1024
"""A larger output is not even read. The limit that users can set is far below."""

LARGEST_VARIABLE: Final = 100_000
"""Linux accepts no environment variable of 128 KiB or more. A larger input is only in its file."""

LARGEST_DETAILS: Final = 1024 * 1024
"""Larger heartbeat details are ignored."""
