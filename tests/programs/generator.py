"""Random programs: `generate(dice, size)` gives one of about `size` statements, the same for the same dice.

Programs are kept within the rules of `language`: what hangs stands where it will be cancelled, and a
signal is received in one lane only.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple, get_args

import msgspec
from tests.programs.language import (
    CAUGHT,
    ERRORS,
    Assign,
    Await,
    Block,
    Call,
    Child,
    Drain,
    Effect,
    Ends,
    Fails,
    FanOut,
    Flakes,
    Forget,
    Handler,
    Hang,
    If,
    Load,
    Miss,
    Observe,
    Parallel,
    Program,
    Race,
    Raise,
    Receive,
    Repeat,
    Return,
    Sleep,
    Statement,
    Store,
    Succeeds,
    Timeout,
    TimesOut,
    Try,
    Value,
)
from tests.programs.rules import Region, child_region

_DEEPEST = 5
_VARIABLES = ("a", "b", "c")
_KEYS = ("x", "y")
_NAPS = (0.0, 0.0, 0.001, 1.0, 20.0, 200.0)
_LATES = (0.0, 0.0, 0.0, 60.0, 400.0)


def generate(dice: Random, size: int) -> Program:
    """A random program of about `size` statements."""
    return _Generator(dice, size).program()


class _Lane:
    """What only one lane may use."""

    __slots__ = ("keys", "signals")

    def __init__(self) -> None:
        self.signals: list[str] = []
        self.keys: list[str] = []
        """Of the state, that were stored."""


class _Place(NamedTuple):
    """Where in a program something is put."""

    region: Region
    depth: int
    lane: _Lane
    in_child: bool

    def deeper(self, region: Region | None = None) -> _Place:
        return self._replace(depth=self.depth + 1, region=region or self.region)

    def in_lane(self, region: Region | None = None) -> _Place:
        return self.deeper(region)._replace(lane=_Lane())


def _choices(kind: type[msgspec.Struct], field: str = "how") -> tuple[Any, ...]:
    """What may stand in a field."""
    [found] = [each for each in msgspec.structs.fields(kind) if each.name == field]
    return get_args(found.type)


_FANS = _choices(FanOut)
_SIGHTS = _choices(Observe, "what")
_WAYS = _choices(Parallel)
_RACES = _choices(Race)
_LIMITS = _choices(Timeout)
_HANGS = ("task", "sleep", "sleep", "signal", "signal", "promise", "promise", "event", "event")
_CAUGHT = tuple(CAUGHT)
_CATCH_ALL = (Handler("Exception", ()),)


class _Generator:
    def __init__(self, dice: Random, size: int) -> None:
        self._dice = dice
        self._pick: Callable[[Any], Any] = dice.choice
        self._left = size
        self._names = 0
        self._promises: list[Await] = []

    def program(self) -> Program:
        cancelled = self._chance(0.1)
        place = _Place("held" if cancelled else "free", 0, _Lane(), in_child=False)
        body: list[Statement] = []
        while self._left > 0:
            statement = self._statement(place)
            # Most programs would else be over before they have done anything.
            body.append(Try((statement,), _CATCH_ALL) if self._chance(0.8) else statement)
        return Program(tuple(body), cancelled)

    def _chance(self, probability: float) -> bool:
        return self._dice.random() < probability

    def _block(self, place: _Place) -> Block:
        wanted = 1 + int(self._dice.random() * 4)
        made: list[Statement] = []
        while len(made) < wanted and self._left > 0:
            made.append(self._statement(place))
        return tuple(made)

    def _statement(self, place: _Place) -> Statement:
        self._left -= 1
        if place.region != "free" and self._chance(0.15):
            return self._hang(place)
        if place.depth < _DEEPEST and self._left > 1 and self._chance(0.45):
            return self._pick(_COMPOUND)(self, place)
        return self._pick(_SIMPLE)(self, place)

    # --- simple ones

    def _value(self) -> Value:
        return self._pick(_VARIABLES) if self._chance(0.5) else int(self._dice.random() * 100)

    def _into(self) -> str | None:
        return self._pick(_VARIABLES) if self._chance(0.7) else None

    def _call(self, _: _Place) -> Call:
        ends = self._ends()
        # A thread that hangs cannot be told from one that is busy: nobody would know when time may pass.
        task = "toil" if self._chance(0.1) and not isinstance(ends, TimesOut) else "work"
        return Call(task, self._value(), ends, self._into())

    def _ends(self) -> Ends:
        roll = self._dice.random()
        if roll < 0.70:
            return Succeeds()
        if roll < 0.85:
            return Fails(self._pick(ERRORS), 1 + int(self._dice.random() * 3), self._chance(0.3))
        if roll < 0.96:
            return Flakes(1 + int(self._dice.random() * 2))
        return TimesOut(silent=self._chance(0.3))

    def _hang(self, place: _Place) -> Hang:
        on = self._pick(_HANGS)
        return Hang("sleep" if on == "event" and place.region == "held" else on)

    def _fan_out(self, place: _Place) -> FanOut:
        count = 1 + int(self._dice.random() * (10 if self._chance(0.2) else 4))
        calls = tuple(self._call(place) for _ in range(count))
        return FanOut(self._pick(_FANS), calls, self._into())

    def _sleep(self, _: _Place) -> Sleep:
        return Sleep(self._pick(_NAPS))

    def _raise(self, _: _Place) -> Raise:
        return Raise(self._pick(ERRORS), self._value())

    def _return(self, place: _Place) -> Statement:
        # At the top it would leave most programs short.
        return Return(self._value()) if place.depth > 1 or self._chance(0.2) else self._call(place)

    def _assign(self, _: _Place) -> Assign:
        return Assign(self._pick(_VARIABLES), self._value(), int(self._dice.random() * 10))

    def _remember(self, place: _Place) -> Statement:
        keys = place.lane.keys
        if not keys or self._chance(0.5):
            keys.append(self._pick(_KEYS))
            return Store(keys[-1], self._value())
        key = self._pick(keys)
        return Load(key, self._pick(_VARIABLES)) if self._chance(0.5) else Forget(key)

    def _observe(self, _: _Place) -> Observe:
        return Observe(self._pick(_SIGHTS))

    def _effect(self, _: _Place) -> Effect:
        return Effect(self._pick(ERRORS) if self._chance(0.3) else None)

    def _receive(self, place: _Place) -> Statement:
        if place.in_child:
            return Miss(self._pick(("signal", "promise")))
        if place.lane.signals and self._chance(0.3):
            name = place.lane.signals[-1]
        else:
            self._names += 1
            name = f"s{self._names}"
            place.lane.signals.append(name)
        if self._chance(0.3):
            return Drain(name, 1 + int(self._dice.random() * 3), self._pick(_LATES))
        return Receive(name, self._pick(_LATES), self._chance(0.7), self._into())

    def _await(self, place: _Place) -> Statement:
        if place.in_child:
            return Miss(self._pick(("signal", "promise")))
        if self._promises and self._chance(0.4):
            return self._pick(self._promises)
        self._names += 1
        rejected = self._pick(ERRORS) if self._chance(0.3) else None
        made = Await(f"p{self._names}", rejected, self._pick(_LATES), self._into())
        self._promises.append(made)
        return made

    # --- compound ones

    def _if(self, place: _Place) -> If:
        otherwise = self._block(place.deeper()) if self._chance(0.5) else ()
        return If(self._pick(_VARIABLES), self._block(place.deeper()), otherwise)

    def _repeat(self, place: _Place) -> Repeat:
        return Repeat(2 + int(self._dice.random() * 2), self._block(place.deeper()))

    def _try(self, place: _Place) -> Try:
        inner = place.deeper()
        body = self._block(inner)
        count = int(self._dice.random() * 3)
        handlers = tuple(Handler(self._pick(_CAUGHT), self._block(inner)) for _ in range(count))
        otherwise = self._block(inner) if self._chance(0.3) else ()
        ending = self._block(inner.deeper("free")) if self._chance(0.6) or not handlers else ()
        return Try(body, handlers, otherwise, ending)

    def _parallel(self, place: _Place) -> Parallel:
        lanes = tuple(self._block(place.in_lane()) for _ in range(2 + int(self._dice.random() * 3)))
        return Parallel(self._pick(_WAYS), lanes, self._chance(0.5), self._into())

    def _race(self, place: _Place) -> Race:
        hasty = self._chance(0.4)
        held = place.in_lane("held by a timer")
        count = int(self._dice.random() * 3) if hasty else 1 + int(self._dice.random() * 2)
        losers = tuple(self._loser(held._replace(lane=_Lane()), hasty) for _ in range(count))
        # Time is slow while a task hangs: the lease is renewed every five seconds of it.
        strays = 0 if losers and not (hasty and self._chance(0.5)) else 1
        return Race(self._pick(_RACES), self._block(place.in_lane()), losers, strays, hasty, self._into())

    def _loser(self, place: _Place, hasty: bool) -> Block:
        if not hasty:
            return self._block(place)
        hang = self._hang(place)
        return (Try((hang,), ending=self._block(place.deeper("free"))),) if self._chance(0.6) else (hang,)

    def _timeout(self, place: _Place) -> Timeout:
        body = self._block(place.in_lane("held by a timer"))
        return Timeout(self._pick(_LIMITS), body, self._chance(0.5), self._into())

    def _child(self, place: _Place) -> Child:
        then = self._pick(("await", "await", "await", "leave", "cancel", "cancel_at_once"))
        detached = self._chance(0.3) and (then == "leave" or not place.in_child)
        bare = Child((), then, detached, named=self._chance(0.4))
        inner = place.in_lane(child_region(bare, place.region))._replace(in_child=True)
        body = self._block(inner)
        return Child(body, then, bare.detached, bare.named, bare.named and self._chance(0.3), self._into())


_G = _Generator
_SIMPLE = (
    *[_G._call] * 14,
    *[_G._fan_out] * 3,
    *[_G._sleep] * 3,
    *[_G._receive] * 2,
    *[_G._await] * 2,
    *[_G._remember] * 3,
    *[_G._observe] * 2,
    _G._assign,
    _G._effect,
    _G._raise,
    _G._return,
)
_COMPOUND = (
    *[_G._parallel] * 4,
    *[_G._try] * 4,
    *[_G._race] * 3,
    *[_G._timeout] * 2,
    *[_G._child] * 3,
    *[_G._if] * 2,
    _G._repeat,
)
