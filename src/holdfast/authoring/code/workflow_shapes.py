"""What `@workflow` takes, for type checkers: functions, and classes with a method `run`.

The first parameter may be the context, which callers do not pass. Type checkers would also take a first
parameter for the context that takes anything, because it has no annotation or is `Any` or `object`. So the
arguments of such a workflow are not checked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from holdfast.authoring.code.context import Context

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class NobodysType:
    """No parameter is annotated with it: what accepts it accepts anything."""


TakesAnything: TypeAlias = Callable[Concatenate[NobodysType, ...], Awaitable[R]]
TakesContext: TypeAlias = Callable[Concatenate[Context, P], Awaitable[R]]


class RunTakesAnything(Protocol[R_co]):
    def run(self, first: NobodysType, /, *args: Any, **kwargs: Any) -> Awaitable[R_co]: ...


class RunTakesContext(Protocol[P, R_co]):
    def run(self, context: Context, /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[R_co]: ...
