"""The query parameters that choose runs, for every route that has them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

from litestar.di import NamedDependency, Provide
from litestar.params import FromQuery, QueryParameter, SkipValidation

from holdfast.client.run_filters import RunConditions
from holdfast.core.values import RunStatus

Conditions: TypeAlias = NamedDependency[SkipValidation[RunConditions]]
After: TypeAlias = Annotated[str | None, QueryParameter(description="`next` of the page before.")]
Payloads: TypeAlias = Annotated[
    bool,
    QueryParameter(
        description="Whether each run has its input and its output. A page ends after about 8 MB."
    ),
]


def _conditions(
    status: Annotated[
        Sequence[RunStatus], QueryParameter(description="One of these states.", max_items=20)
    ] = (),
    workflow: FromQuery[str | None] = None,
    version: FromQuery[str | None] = None,
    tag: Annotated[Sequence[str], QueryParameter(description="All of these tags.", max_items=20)] = (),
    schedule: FromQuery[str | None] = None,
    parent: Annotated[
        str | None, QueryParameter(description="The id or the key of a run: only its children.")
    ] = None,
    fingerprint: FromQuery[str | None] = None,
    created_after: FromQuery[dt.datetime | None] = None,
    created_before: FromQuery[dt.datetime | None] = None,
    ended_after: FromQuery[dt.datetime | None] = None,
    ended_before: FromQuery[dt.datetime | None] = None,
    took_over: Annotated[
        float | None, QueryParameter(description="In seconds. It has ended, and took so long or longer.")
    ] = None,
    took_under: Annotated[
        float | None, QueryParameter(description="In seconds. It has ended, and took less than that.")
    ] = None,
    error_type: Annotated[
        str | None, QueryParameter(description="The class of the failure or of one of its causes.")
    ] = None,
    id_contains: FromQuery[str | None] = None,
    error_contains: Annotated[
        str | None, QueryParameter(description="A part of the message of the failure or of a cause.")
    ] = None,
) -> RunConditions:
    return RunConditions(
        status=status or None,
        workflow=workflow,
        version=version,
        tag=tag or None,
        schedule=schedule,
        parent=parent,
        fingerprint=fingerprint,
        created_after=created_after,
        created_before=created_before,
        ended_after=ended_after,
        ended_before=ended_before,
        took_over=took_over,
        took_under=took_under,
        error_type=error_type,
        id_contains=id_contains,
        error_contains=error_contains,
    )


CONDITIONS: Final = {"conditions": Provide(_conditions, sync_to_thread=False)}
