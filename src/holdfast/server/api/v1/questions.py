"""Questions: everything that waits for a person."""

from __future__ import annotations

import re
from typing import Annotated, Final

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromQuery, QueryParameter

from holdfast.client.client import Client
from holdfast.client.questions import AnsweredQuestion, QuestionInfo
from holdfast.core.values import Instant, instant, moment
from holdfast.server.api.v1.paging import Limit, Page
from holdfast.server.problems import BadRequest, may_answer

_PLACE: Final = re.compile(r"([0-9]{1,18})\.([0-9a-f-]{36})\.([0-9]{1,9})", re.ASCII)


@get("/questions", name="questions.list", responses=may_answer(404))
async def list_questions(
    client: NamedDependency[Client],
    run: FromQuery[str | None] = None,
    workflow: FromQuery[str | None] = None,
    by: Annotated[str | None, QueryParameter(description="Only those that this person may answer.")] = None,
    after: Annotated[str | None, QueryParameter(description="`next` of the page before.")] = None,
    limit: Limit = 100,
) -> Page[QuestionInfo]:
    """What runs ask for and nobody has answered, with the facts and the schema of the answer. The oldest come
    first."""
    last = None if after is None else _question_at(after)
    found = await client.questions(run=run, workflow=workflow, by=by, limit=limit, after=last)
    return Page(found, _place_of(found[-1]) if len(found) == limit else None)


@get("/questions/answered", name="questions.answered", responses=may_answer())
async def list_answered_questions(
    client: NamedDependency[Client], limit: Limit = 100
) -> Page[AnsweredQuestion]:
    """What was asked and is closed: with its answer and who gave it, or given up. The newest come first."""
    return Page(await client.answered_questions(limit))


ROUTES = [list_questions, list_answered_questions]


def _place_of(question: QuestionInfo) -> str:
    return f"{instant(question.asked_at)}.{question.key}.{question.number}"


def _question_at(place: str) -> QuestionInfo:
    found = _PLACE.fullmatch(place)
    if found is None:
        raise BadRequest(f"after is {place!r}, but must be `next` of the page before", "after")
    at = moment(Instant(int(found[1])))
    return QuestionInfo("", found[2], "", int(found[3]), "", "", None, None, None, at)
