"""Workflows as functions and as classes, and the types that go into them and come out."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import enum
import uuid
from decimal import Decimal
from typing import Any, TypedDict

import attrs
import msgspec
import pydantic
import pytest

from holdfast import Catalog, Context, context, task, workflow
from holdfast.errors import BadDefinition, BadOption, WrongType
from holdfast.testing import Environment, assert_durable

catalog = Catalog()


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Order(msgspec.Struct):
    id: str
    points: list[Point]


class Model(pydantic.BaseModel):
    name: str
    when: dt.date


@attrs.define
class Parcel:
    weight: float
    tags: set[str]


class Options(TypedDict, total=False):
    colour: Colour
    limit: dt.timedelta


class Everything(msgspec.Struct):
    dataclass: Point
    struct: Order
    model: Model
    attrs: Parcel
    typed_dict: Options
    moment: dt.datetime
    delay: dt.timedelta
    id: uuid.UUID
    price: Decimal
    colour: Colour
    raw: bytes
    pair: tuple[int, str]
    nested: dict[str, list[Point | None]]


EVERYTHING = Everything(
    dataclass=Point(1, 2),
    struct=Order("o1", [Point(3)]),
    model=Model(name="m", when=dt.date(2030, 1, 2)),
    attrs=Parcel(1.5, {"a", "b"}),
    typed_dict={"colour": Colour.RED, "limit": dt.timedelta(hours=1)},
    moment=dt.datetime(2030, 1, 1, tzinfo=dt.UTC),
    delay=dt.timedelta(days=2),
    id=uuid.UUID(int=5),
    price=Decimal("1.10"),
    colour=Colour.RED,
    raw=b"\x00\xff",
    pair=(1, "x"),
    nested={"a": [Point(1), None]},
)


@task(catalog=catalog)
async def pass_on(value: Everything) -> Everything:
    assert isinstance(value.attrs, Parcel)
    assert isinstance(value.model, Model)
    return value


@workflow(catalog=catalog)
async def carry(value: Everything) -> Everything:
    return await pass_on(value)


@workflow(catalog=catalog)
async def carry_through_a_child(value: Everything) -> Everything:
    context().state.set("value", value)
    result = await carry(value)
    assert context().state.get("value", Everything) == result
    return result


async def test_values_of_all_supported_types_come_through_tasks_children_and_crashes() -> None:
    result = await assert_durable(carry_through_a_child, EVERYTHING, catalog=catalog)

    assert result == EVERYTHING


@pytest.mark.parametrize("value", [Point(1, 2), Model(name="m", when=dt.date(2030, 1, 1)), Parcel(1, {"a"})])
async def test_models_can_be_the_input_and_the_output(value: Any) -> None:
    async def give_back(value: Any) -> Any:
        return value

    give_back.__annotations__ = {"value": type(value), "return": type(value)}
    mine = Catalog()
    made = workflow(catalog=mine)(give_back)

    async with Environment(catalog=mine) as env:
        assert await env.run(made, value) == value


# --- the shapes of a workflow


@workflow(catalog=catalog)
class Countdown:
    """A class: an object of it for each run, so helpers share what the run knows."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    async def run(self, ctx: Context, start: int) -> list[Any]:
        while start:
            start = await self._step(start)
        return [ctx.workflow, self.seen]

    async def _step(self, number: int) -> int:
        self.seen.append(number)
        await asyncio.sleep(1)
        return number - 1


async def test_a_class_with_a_run_method_is_a_workflow() -> None:
    assert await assert_durable(Countdown, 3, catalog=catalog) == ["Countdown", [3, 2, 1]]


async def test_a_context_parameter_is_filled_in_and_others_are_the_input() -> None:
    @workflow(catalog=catalog)
    async def typed(context: Context, a: int, *, b: int = 2) -> list[Any]:
        return [context.workflow, a, b]

    @workflow(catalog=catalog)
    async def named(ctx, a=1):  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]
        return [ctx.workflow, a]

    async with Environment(catalog=catalog) as env:
        assert await env.run(typed, 1, b=3) == ["typed", 1, 3]
        assert await env.run(named) == ["named", 1]


async def test_outside_a_workflow_a_workflow_is_the_plain_function() -> None:
    @workflow(catalog=catalog)
    async def plus_one(number: int) -> int:
        return number + 1

    assert await plus_one(1) == 2
    assert await plus_one.options(id="ignored")(2) == 3


def test_what_cannot_be_a_workflow_is_refused_when_it_is_defined() -> None:
    def plain() -> None: ...

    class NoRun: ...

    async def unknown_type(value: object) -> Colours: ...  # noqa: F821  # pyright: ignore[reportUndefinedVariable]

    for bad in (plain, NoRun, unknown_type):
        with pytest.raises(BadDefinition):
            workflow(catalog=Catalog())(bad)  # pyright: ignore[reportArgumentType, reportCallIssue]
    with pytest.raises(BadDefinition, match="without '@'"):
        workflow(catalog=Catalog(), name="a@b")(_first)
    with pytest.raises(BadOption, match="version"):
        workflow(catalog=Catalog(), version="")


def test_one_name_is_one_workflow() -> None:
    mine = Catalog()
    workflow(catalog=mine, name="pay")(_first)
    workflow(catalog=mine, name="pay")(_first)

    with pytest.raises(BadDefinition, match=r"the name belongs to .*_first; give .*_second another"):
        workflow(catalog=mine, name="pay")(_second)


async def _first() -> None: ...


async def _second() -> None: ...


# --- its own input and output


async def test_a_result_that_does_not_fit_its_hint_fails_the_run() -> None:
    @workflow(catalog=catalog)
    async def mistaken() -> int:
        return "many"  # pyright: ignore[reportReturnType]

    async with Environment(catalog=catalog) as env:
        with pytest.raises(WrongType, match="the result of workflow 'mistaken': expected int, got str"):
            await env.run(mistaken)


async def test_a_changed_default_does_not_reach_a_run_under_way() -> None:
    changing = Catalog()

    @workflow(catalog=changing, name="defaulted")
    async def old(limit: int = 1) -> int:
        await context().signal("go")
        return limit

    async with Environment(catalog=changing) as env:
        run = await env.start(old)
        await env.wait_until_quiet()

        @workflow(catalog=changing, name="defaulted")
        async def new(limit: int = 2) -> int:
            await context().signal("go")
            return limit

        await env.crash()
        await run.signal("go")
        assert await run.result() == 1
