"""Slows down whoever tries wrong keys.

Nobody can guess a key of 256 random bits. This is for the rest: a program that sends a wrong key in a loop,
or somebody who tries keys that were found somewhere, must not keep the server and the store busy.

What it promises:

- The first failures of an address within a minute cost nothing: somebody has a typing error.
- Further ones are answered late: after 0.5 s, then 1 s, and so on up to 8 s. While one of them waits, others
  from the address are refused at once. So an address keeps one connection waiting, however many it opens.
- A right key is never slowed down: only failures are counted, and only after the key was checked.
- Addresses do not concern each other. An address in IPv6 stands for its network of 64 bits, since nearly
  everybody who has one address of it has all of them.
- It remembers a bounded number of addresses. If there are more, those are forgotten that have failed least
  recently.

It reads no clock and does not wait itself, so that a test can be the clock. It is for one event loop.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

_FREE: Final = 5
"""How many failures within a minute cost nothing."""
_WINDOW: Final = 60.0
_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 8.0
_COUNTED: Final = _FREE + 5
"""More failures than this make no difference: the wait is the longest then."""
_MOST_ADDRESSES: Final = 10_000
_LONGEST_ADDRESS: Final = 100
_IPV6_NETWORK: Final = 64


class AnswerAfter(NamedTuple):
    """Say that the key is wrong, after so long."""

    seconds: float
    """0: at once."""


class TooMany(NamedTuple):
    """Say at once that there were too many attempts."""

    retry_after: float
    """In seconds."""


Slowdown: TypeAlias = AnswerAfter | TooMany


class _Failures:
    """Of one address."""

    __slots__ = ("at", "busy_until")

    def __init__(self) -> None:
        self.at: deque[float] = deque(maxlen=_COUNTED)
        self.busy_until = float("-inf")
        """Until then, somebody waits for the answer to a wrong key."""


class Throttle:
    def __init__(self, now: Callable[[], float], *, most_addresses: int = _MOST_ADDRESSES) -> None:
        """`now` gives seconds that never go back, such as `time.monotonic`."""
        self._now = now
        self._most_addresses = most_addresses
        self._failures: OrderedDict[str, _Failures] = OrderedDict()
        """By network. The one that failed last is the last."""

    def failed(self, address: str) -> Slowdown:
        """A key from that address was wrong. Returns how to answer."""
        now = self._now()
        failures = self._of(network_of(address))
        while failures.at and failures.at[0] <= now - _WINDOW:
            failures.at.popleft()
        failures.at.append(now)
        beyond = len(failures.at) - _FREE
        if beyond <= 0:
            return AnswerAfter(0)
        if now < failures.busy_until:
            return TooMany(failures.busy_until - now)
        wait = min(_FIRST_WAIT * 2 ** (beyond - 1), _LONGEST_WAIT)
        failures.busy_until = now + wait
        return AnswerAfter(wait)

    def _of(self, network: str) -> _Failures:
        known = self._failures.get(network)
        if known is None:
            known = self._failures[network] = _Failures()
        self._failures.move_to_end(network)
        while len(self._failures) > self._most_addresses:
            self._failures.popitem(last=False)
        return known


def network_of(address: str) -> str:
    """What an address is counted as. A text that is no address, such as the path of a socket, is cut."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:_LONGEST_ADDRESS]
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, _IPV6_NETWORK), strict=False))
