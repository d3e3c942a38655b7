"""Starting workflows by name from a process that does not have them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from pydantic import BaseModel
from tests.patience import SOON

from holdfast import Catalog, Holdfast, UnknownWorkflow, load_dag, task, with_options, workflow
from holdfast.errors import RunFailed, WrongType


def deployed() -> Catalog:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def buy(cents: int, currency: str = "EUR") -> dict[str, Any]:
        return {"charged": cents, "in": currency}

    @workflow(name="pay", version=1, catalog=catalog)
    async def pay(cents: int) -> str:
        return f"{cents} in the old way"

    @workflow(name="pay", version=2, catalog=catalog)
    async def pay_again(cents: int) -> str:
        return f"{cents} in the new way"

    return catalog


async def test_a_client_without_the_code_starts_a_workflow_by_its_name(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        run = await hf.start("buy", cents=5)
        tagged = await hf.start(with_options("buy", tags=["web"]), cents=6, currency="USD")

        assert await run.result(timeout=SOON) == {"charged": 5, "in": "EUR"}
        assert await tagged.result(timeout=SOON) == {"charged": 6, "in": "USD"}
        assert (await tagged.describe()).tags == ("web",)


async def test_the_version_that_was_registered_last_is_started_or_the_one_that_is_named(
    store_url: str,
) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        newest = await hf.start("pay", cents=5)
        named = await hf.start("pay", version=1, cents=5)

        assert await newest.result(timeout=SOON) == "5 in the new way"
        assert await named.result(timeout=SOON) == "5 in the old way"
        with pytest.raises(UnknownWorkflow, match="pay version 3"):
            await hf.start("pay", version=3, cents=5)


@pytest.mark.parametrize(
    ("args", "kwargs", "problem"),
    [
        ((), {}, "buy() missing a required argument: 'cents'"),
        ((5, "EUR", 1), {}, "buy() takes 2 positional arguments but 3 were given"),
        ((5,), {"cents": 5}, "buy() got multiple values for argument 'cents'"),
        ((), {"cents": 5, "colour": "red"}, "buy() got an unexpected keyword argument 'colour'"),
        (("many",), {}, "cents: expected a whole number, got 'many'"),
        ((True, 7), {}, "cents: expected a whole number, got True; currency: expected text, got 7"),
    ],
)
async def test_arguments_are_checked_before_anything_is_started(
    store_url: str, args: tuple[Any, ...], kwargs: dict[str, Any], problem: str
) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        with pytest.raises(WrongType) as refused:
            await hf.start("buy", *args, **kwargs)

        assert problem in str(refused.value)
        assert await hf.list() == []


async def test_arguments_are_given_by_position_or_by_name_and_defaults_are_filled_in(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()) as here,
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        run = await hf.start("buy", 5, "USD")
        without = await hf.start("buy", 6, id="six")
        same = await here.start("buy", 6, id="six")  # the input is the same, so it is the same run

        assert await run.result(timeout=SOON) == {"charged": 5, "in": "USD"}
        assert (await without.describe()).input == {"cents": 6, "currency": "EUR"}
        assert same.key == without.key


class Line(msgspec.Struct):
    price: float
    count: Annotated[int, msgspec.Meta(ge=1)] = 1


class Address(BaseModel):
    city: str


class Customer(BaseModel):
    name: str
    home: Address


def shop() -> Catalog:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def order(
        lines: list[Line],
        /,
        customer: Customer,
        *notes: str,
        until: dt.date = dt.date(2030, 1, 1),
        **rest: int,
    ) -> Any:
        return [len(lines), customer.home.city, notes, until.isoformat(), rest]

    return catalog


async def test_models_and_all_kinds_of_parameters_are_bound_as_in_python(store_url: str) -> None:
    customer = Customer(name="Ada", home=Address(city="London"))
    async with (
        Holdfast(store_url, catalog=shop()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        run = await hf.start("order", [{"price": 2}], customer, "soon", "please", floor=3)

        assert await run.result(timeout=SOON) == [1, "London", ["soon", "please"], "2030-01-01", {"floor": 3}]


@pytest.mark.parametrize(
    ("args", "kwargs", "problem"),
    [
        (([{"price": 1}, {"price": "x"}],), {}, "lines[1].price: expected a number, got 'x'"),
        (([{"price": 1, "count": 0}],), {}, "lines[0].count: expected a number from 1, got 0"),
        (([{}],), {}, "lines[0]: the field 'price' is missing"),
        (
            ([],),
            {"customer": {"name": "Ada", "home": {"city": 5}}},
            "customer.home.city: expected text, got 5",
        ),
        (([],), {"until": "tomorrow"}, "until: "),
        (([],), {"floor": "top"}, "rest.floor: expected a whole number, got 'top'"),
        ((), {"lines": []}, "lines"),
    ],
)
async def test_what_is_wrong_inside_of_an_argument_is_named_by_its_path(
    store_url: str, args: tuple[Any, ...], kwargs: dict[str, Any], problem: str
) -> None:
    customer = {"name": "Ada", "home": {"city": "London"}}
    async with (
        Holdfast(store_url, catalog=shop()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        with pytest.raises(WrongType) as refused:
            await hf.start("order", *args, **{"customer": customer, **kwargs})

        assert problem in str(refused.value)
        assert await hf.list() == []


class Tree(msgspec.Struct):
    children: list[Tree] = []


async def test_a_value_that_is_too_deep_to_be_checked_is_left_to_the_node(store_url: str) -> None:
    catalog, tree = Catalog(), Tree()
    for _ in range(240):
        tree = Tree([tree])

    @workflow(catalog=catalog)
    async def height(tree: Tree) -> int:
        found = 0
        while tree.children:
            tree, found = tree.children[0], found + 1
        return found

    async with (
        Holdfast(store_url, catalog=catalog),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        run = await hf.start("height", tree)

        assert await run.result(timeout=SOON) == 240
        with pytest.raises(WrongType, match=r"tree\.children\[0\]: expected a map of fields, got 5"):
            await hf.start("height", {"children": [5]})


async def test_what_an_older_release_registered_takes_arguments_by_name_and_the_node_checks_them(
    store_url: str,
) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()) as here,
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        older = [each._replace(input_schema=None) for each in here._workflows.stored()]
        await here._store.register_definitions(here.namespace, older, here._now())

        with pytest.raises(WrongType, match=r"parameters are not known here; give all arguments by name"):
            await hf.start("buy", 5)
        run = await hf.start("buy", cents="many")

        with pytest.raises(RunFailed, match="cents"):
            await run.result(timeout=SOON)


async def test_a_lone_task_that_was_started_once_is_started_elsewhere_with_checked_arguments(
    store_url: str,
) -> None:
    catalog = Catalog()

    @task(catalog=catalog)
    async def double(number: int) -> int:
        return 2 * number

    async with (
        Holdfast(store_url, catalog=catalog) as here,
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        await here.run(double, 1)

        with pytest.raises(WrongType, match="number: expected a whole number, got 'two'"):
            await hf.start("double", "two")
        assert await (await hf.start("double", 2)).result(timeout=SOON) == 4


async def test_a_dag_is_read_from_the_store_and_checks_its_inputs(store_url: str, tmp_path: Path) -> None:
    catalog = Catalog()
    path = tmp_path / "nap.yaml"
    path.write_text("name: nap\ninput:\n  days: int = 3\ntasks:\n  wait: {sleep: 0s}\n")
    load_dag(path, catalog=catalog)
    async with (
        Holdfast(store_url, catalog=catalog),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        run = await hf.start("nap")
        await run.result(timeout=SOON)

        assert (await run.describe()).input == {"days": 3}
        with pytest.raises(WrongType, match="days"):
            await hf.start("nap", days="some")


async def test_what_nobody_has_registered_is_unknown(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
        Holdfast(store_url, catalog=Catalog(), engine=False, namespace="elsewhere") as other,
    ):
        with pytest.raises(UnknownWorkflow, match="no workflow 'sell' is registered"):
            await hf.start("sell", cents=5)
        with pytest.raises(UnknownWorkflow):
            await other.start("buy", cents=5)


async def test_a_schedule_is_put_without_the_code(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        await hf.schedules.put("hourly", "buy", every=dt.timedelta(hours=1), input={"cents": 5})

        assert (await hf.schedules.get("hourly")).workflow == "buy"
