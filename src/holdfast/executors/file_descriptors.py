"""The limit on open file descriptors, and how many attempts at once it allows."""

from __future__ import annotations

import resource

_SPARE_DESCRIPTORS = 128
"""What the rest of the application needs at least: databases, connections, logs."""
_USUAL_DESCRIPTORS = 1024
"""What the rest of the application may rely on, if the limit can be raised that far."""


def descriptor_capacity(wanted: int, each: int) -> int:
    """Raise the limit, and return for how many attempts with `each` descriptors there is room; at most
    `wanted`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    needed = _USUAL_DESCRIPTORS + wanted * each
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    if needed > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
            soft = needed
        except (OSError, ValueError):
            pass  # some systems have a limit below the hard one, and report it only here
    return max(1, min(wanted, (soft - _SPARE_DESCRIPTORS) // each))
