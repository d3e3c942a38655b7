"""Processes on their way out, until it is certain that nothing of them is left.

Most processes never come here: they have ended, and so have their pipes and their group. The others
have something left that says nothing when it ends: children that were asked to end and have time for
it, children that left the group, a pipe that such a child holds open. Those are looked for in /proc, in
one pass for all of them at once, a slice in each turn of the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextvars import Context
from typing import NamedTuple, Protocol

from holdfast.executors.processes.keeper import group_of, kill_marked, mark_of, process_ids

_PAUSE = 0.02
_LOOKS = 2
_SLICE = 50
"""How many processes are looked at in one turn of the loop; each takes some twenty microseconds."""
_HELD_PIPES = 0.3
"""Seconds. A pipe that is open for longer after its process is held by one that left the group, and such
a one is then looked for by its mark."""
_GIVEN_UP = 3.0
"""Seconds after which nothing is waited for that was killed and is still there."""


class EndingProcess(Protocol):
    """A process that has ended."""

    @property
    def group(self) -> int: ...
    @property
    def token(self) -> bytes: ...
    @property
    def was_ended(self) -> bool:
        """It did not end by itself: then all that carries its mark ends with it."""
        ...

    @property
    def reaped_at(self) -> float | None:
        """None while the rest of its group may take its time."""
        ...

    @property
    def is_silent(self) -> bool:
        """All its pipes are at their end."""
        ...

    @property
    def has_group(self) -> bool:
        """Somebody is left in its group, if only one that has ended and that nobody has reaped. That is
        for the first process of the system to do, which may take a second or never do it."""
        ...


class _Census(NamedTuple):
    is_possible: bool
    """There is a /proc to look into."""
    groups: set[int]
    """Those that have somebody in them who has not ended."""
    marked: dict[bytes, list[int]]


def _take_census(mark: bytes, tokens: set[bytes], *, by_group: bool) -> Generator[None, None, _Census]:
    census = _Census(is_possible=False, groups=set(), marked={})
    everyone = process_ids()
    for at, pid in enumerate(everyone):
        if by_group and (group := group_of(pid)) is not None:
            census.groups.add(group)
        if tokens and (token := mark_of(pid, mark)) is not None and token in tokens:
            census.marked.setdefault(token, []).append(pid)
        if at % _SLICE == _SLICE - 1:
            yield
    return census._replace(is_possible=bool(everyone))


class _Findings:
    """What was found out of a leaver since it was reaped."""

    __slots__ = ("is_alone", "looked_in_vain")

    def __init__(self) -> None:
        self.is_alone = False
        self.looked_in_vain = 0
        """How often in a row its mark was looked for and not found."""

    @property
    def is_unmarked(self) -> bool:
        """Once is not enough: a process has no mark for the moment in which its program is loaded."""
        return self.looked_in_vain >= _LOOKS


class Reaper:
    """`reap` is called for those whose group has had its time, and `let_go` once nothing is left."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        variables: Context,
        mark: bytes,
        reap: Callable[[EndingProcess], None],
        let_go: Callable[[EndingProcess], None],
    ) -> None:
        self._loop = loop
        self._variables = variables
        self._mark = mark
        self._reap = reap
        self._let_go = let_go
        self._leavers: dict[EndingProcess, _Findings] = {}
        self._is_looking = False

    def add(self, leaver: EndingProcess) -> None:
        if leaver not in self._leavers:
            self._leavers[leaver] = _Findings()
        if not self._is_looking:
            self._is_looking = True
            self._loop.call_soon(self._look, context=self._variables)

    def _look(self) -> None:
        now = self._loop.time()
        for leaver, findings in list(self._leavers.items()):
            if _may_go(leaver, findings, now):
                del self._leavers[leaver]
                self._let_go(leaver)
        if not self._leavers:
            self._is_looking = False
            return
        grouped = [
            leaver for leaver, found in self._leavers.items() if not found.is_alone and leaver.has_group
        ]
        hunted = [leaver for leaver, found in self._leavers.items() if _is_hunted(leaver, found, now)]
        if grouped or hunted:
            tokens = {leaver.token for leaver in hunted}
            self._go_on(_take_census(self._mark, tokens, by_group=bool(grouped)), grouped, hunted)
        else:
            self._loop.call_later(_PAUSE, self._look, context=self._variables)

    def _go_on(
        self,
        census: Generator[None, None, _Census],
        grouped: list[EndingProcess],
        hunted: list[EndingProcess],
    ) -> None:
        try:
            next(census)
        except StopIteration as end:
            is_news = self._judge(end.value, grouped, hunted)
            self._loop.call_later(0 if is_news else _PAUSE, self._look, context=self._variables)
        else:
            self._loop.call_soon(self._go_on, census, grouped, hunted, context=self._variables)

    def _judge(self, census: _Census, grouped: list[EndingProcess], hunted: list[EndingProcess]) -> bool:
        is_news = False
        for leaver in hunted:
            found = census.marked.get(leaver.token, ())
            for pid in found:
                kill_marked(pid, self._mark, leaver.token)
            findings = self._leavers[leaver]
            findings.looked_in_vain = 0 if found else findings.looked_in_vain + 1
            is_news |= findings.looked_in_vain == _LOOKS
        for leaver in grouped:
            # Where nobody can say who is in a group, an open pipe says that somebody is.
            is_alone = leaver.group not in census.groups if census.is_possible else leaver.is_silent
            if is_alone and leaver.reaped_at is None:
                self._reap(leaver)
            elif is_alone:
                self._leavers[leaver].is_alone = True
            is_news |= is_alone
        return is_news


def _may_go(leaver: EndingProcess, findings: _Findings, now: float) -> bool:
    if leaver.reaped_at is None:
        return False
    if now > leaver.reaped_at + _GIVEN_UP:
        return True
    is_alone = findings.is_alone or not leaver.has_group
    if leaver.is_silent:
        return is_alone and (findings.is_unmarked or not leaver.was_ended)
    # Somebody holds a pipe who cannot be found: it has left the group, and shed the mark as well.
    return is_alone and findings.is_unmarked and now > leaver.reaped_at + _HELD_PIPES


def _is_hunted(leaver: EndingProcess, findings: _Findings, now: float) -> bool:
    if leaver.reaped_at is None:
        return False
    if leaver.was_ended and not findings.is_unmarked:
        return True
    return not leaver.is_silent and now > leaver.reaped_at + _HELD_PIPES
