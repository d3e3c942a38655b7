"""Right and wrong uses, for the type checkers: test_type_checkers.py runs them over this file. It is not run.

A line with a mistake ends in a comment that says what the checkers must report there: `# WRONG`, then the
rule of pyright and the code of mypy. A `-` stands for a checker that cannot know: for mypy, a class stays
what it was before it was decorated. Any other line is right for both.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, assert_type

from holdfast import (
    Catalog,
    Context,
    DagWorkflow,
    Holdfast,
    Run,
    Signal,
    Task,
    Workflow,
    context,
    load_dag,
    sync,
    task,
    with_options,
    workflow,
)

SECOND = dt.timedelta(seconds=1)


@task
async def charge(amount: int, *, currency: str = "EUR") -> str:
    return f"{amount} {currency}"


@task(timeout=SECOND)
def count(words: list[str]) -> int:
    return len(words)


@workflow
async def order(amount: int, note: str = "") -> str:
    return await charge(amount) + note


@workflow(name="pinned", version=1)
async def pinned(amount: int) -> list[str]:
    return [str(amount)]


@workflow
async def nothing() -> None: ...


@workflow
async def with_context(ctx: Context, amount: int) -> str:
    return f"{ctx.run_id} {amount}"


@workflow
async def takes_anything(data: Any, amount: int) -> str:
    return f"{data} {amount}"


@workflow
class Account:
    def __init__(self) -> None:
        self.balance = 0

    async def run(self, amount: int) -> str:
        return str(self.balance + amount)


class Ledger:
    async def run(self, ctx: Context, amount: int) -> str:
        return f"{ctx.run_id} {amount}"


ledger = workflow(Ledger)
other_ledger = workflow(name="other", catalog=Catalog())(Ledger)


class Empty: ...


workflow(Empty)  # WRONG reportCallIssue arg-type
workflow(3)  # WRONG reportCallIssue call-overload


def decorated() -> None:
    by_class: Workflow[[int], str] = ledger
    by_itself: Task[[list[str]], int] = count
    print(by_class, by_itself)
    print(takes_anything(data="x", amount=5))
    charge("5")  # WRONG reportArgumentType arg-type
    order(5, 6)  # WRONG reportArgumentType arg-type


async def starting(hf: Holdfast, dag: DagWorkflow) -> None:
    assert_type(await hf.start(order, 5), Run[str])
    assert_type(await hf.start(order, amount=5, note="x"), Run[str])
    assert_type(await hf.start(pinned, 5), Run[list[str]])
    assert_type(await hf.start(nothing), Run[None])
    assert_type(await hf.start(with_context, 5), Run[str])
    print(await hf.start(takes_anything, data=[], amount=5))
    assert_type(await hf.start(charge, 5, currency="USD"), Run[str])
    assert_type(await hf.start(count, ["a"]), Run[int])
    assert_type(await hf.start(ledger, 5), Run[str])
    assert_type(await hf.start(other_ledger, 5), Run[str])
    assert_type(await hf.start(Account, 5), Run[str])
    assert_type(await hf.start(order, 5, id="a"), Run[str])
    assert_type(await hf.start(order, 5, version=1), Run[str])
    assert_type(await hf.start(order, 5, id="a", version=None), Run[str])
    assert_type(await hf.start("order", 5, id="a", any="thing"), Run[Any])
    assert_type(await hf.start(dag, id="a", any="thing"), Run[Any])
    assert_type(await hf.start(load_dag("a.yaml"), any="thing"), Run[Any])
    assert_type(await hf.start_many(order, [1, 2], ids=["a", "b"]), list[Run[str]])

    await hf.start(order, "5")  # WRONG reportCallIssue call-overload
    await hf.start(order)  # WRONG reportCallIssue call-overload
    await hf.start(order, 5, color="red")  # WRONG reportCallIssue call-arg
    await hf.start(order, 5, 6)  # WRONG reportCallIssue call-overload
    await hf.start(pinned, [5])  # WRONG reportCallIssue call-overload
    await hf.start(nothing, 5)  # WRONG reportCallIssue call-overload
    await hf.start(with_context, "5")  # WRONG reportCallIssue call-overload
    await hf.start(charge, "5")  # WRONG reportCallIssue call-overload
    await hf.start(count, 5)  # WRONG reportCallIssue call-overload
    await hf.start(ledger, "5")  # WRONG reportCallIssue call-overload
    await hf.start(Account, "5")  # WRONG reportCallIssue -
    await hf.start(decorated, 5)  # WRONG reportCallIssue call-overload
    await hf.start(order, 5, id=7)  # WRONG reportCallIssue call-arg


async def running(hf: Holdfast, dag: DagWorkflow) -> None:
    assert_type(await hf.run(order, 5), str)
    assert_type(await hf.run(count, ["a"]), int)
    assert_type(await hf.run(Account, 5), str)
    assert_type(await hf.run(order, 5, id="a"), str)
    assert_type(await hf.run("order", amount=5), Any)
    assert_type(await hf.run(dag, amount=5), Any)

    await hf.run(order, "5")  # WRONG reportCallIssue call-overload
    await hf.run(count, "a", 7)  # WRONG reportCallIssue call-overload
    await hf.run(ledger)  # WRONG reportCallIssue call-overload


async def with_their_options(hf: Holdfast) -> None:
    assert_type(await hf.start(order.options(id="a", tags=["vip"]), 5), Run[str])
    assert_type(await hf.run(ledger.options(deadline=SECOND), 5), str)
    assert_type(await hf.start(charge.options(timeout=SECOND), 5, currency="USD"), Run[str])
    assert_type(await hf.start(with_options(order, id="a"), 5), Run[str])
    assert_type(await hf.start(with_options(count.options(timeout=SECOND), id="a"), ["a"]), Run[int])
    assert_type(await hf.start(with_options("order", id="a"), any="thing"), Run[Any])
    assert_type(await hf.start(with_options(Account, id="a"), 5), Run[Any])  # WRONG reportAssertTypeFailure -

    assert_type(await hf.signal_or_start(order.options(id="a"), Signal("b", 1), 5, note="x"), Run[str])
    assert_type(await hf.signal_or_start(with_options("order", id="a"), Signal("b"), any="thing"), Run[Any])
    await hf.signal_many([("a", Signal("b", 1)), (await hf.get("c"), Signal("b", message_id="d"))])

    await hf.signal_or_start(order.options(id="a"), Signal("b"), "5")  # WRONG reportArgumentType arg-type
    await hf.signal_or_start(order.options(id="a"), "b", 5)  # WRONG reportArgumentType arg-type
    await hf.start(order.options(id="a"), "5")  # WRONG reportCallIssue call-overload
    await hf.run(charge.options(timeout=SECOND), "5")  # WRONG reportCallIssue call-overload
    await hf.start(with_options(order, id="a"), "5")  # WRONG reportCallIssue call-overload
    order.options(identity="a")  # WRONG reportCallIssue call-arg
    charge.options(timeout=5)  # WRONG reportArgumentType arg-type


def without_await(hf: sync.Holdfast) -> None:
    assert_type(hf.start(order, 5), sync.Run[str])
    assert_type(hf.start(order.options(id="a"), 5).result(), str)
    assert_type(hf.run(Account, 5), str)
    assert_type(hf.start_many(order, [1, 2]), list[sync.Run[str]])
    assert_type(hf.result("order-1", int), int)
    assert_type(hf.get("order-1"), sync.Run[Any])

    hf.start(order, "5")  # WRONG reportCallIssue call-overload
    hf.run(ledger)  # WRONG reportCallIssue call-overload
    hf.signal(order, "a")  # WRONG reportArgumentType arg-type


async def results(hf: Holdfast, run: Run[str]) -> None:
    assert_type(await run.result(), str)
    assert_type(await hf.result(run), str)
    assert_type(await hf.result("order-1"), Any)
    assert_type(await hf.result("order-1", int), int)
    assert_type(await hf.result("order-1", list[int]), list[int])
    print(await hf.result("order-1", int | None))

    length: int = await hf.result(run)  # WRONG reportAssignmentType arg-type
    text: str = await hf.result("order-1", int)  # WRONG reportAssignmentType arg-type
    print(length, text)


async def in_a_workflow() -> None:
    state = context().state
    assert_type(state.get("a"), Any)
    assert_type(state.get("a", int), int | None)
    assert_type(state.get("a", int, 0), int)
    assert_type(state.get("a", int, "none"), int | str)
    print(state.get("a", int | str))
    assert_type(await context().signal("a"), Any)
    assert_type(await context().signal("a", int), int)
    assert_type(await context().signal("a", int, timeout=SECOND), int)
    assert_type(await context().promise("a", bool), bool)
    print(await context().promise("a", bool | None))
    assert_type(context().drain_signals("a", int), list[int])
    await context().signal_run("run", "a", 5)
    await context().signal_run(order(5), "a")
    assert_type(await charge(5), str)
    assert_type(await charge.options(timeout=SECOND)(5), str)
    assert_type(await order(5), str)
    assert_type(await order.options(detached=True)(5), str)
    assert_type(await ledger(5), str)

    number: int = state.get("a", int)  # WRONG reportAssignmentType assignment
    await context().signal_run(5, "a")  # WRONG reportArgumentType arg-type
    text: str = await context().signal("a", int)  # WRONG reportAssignmentType arg-type
    await charge.options(timeout=SECOND)("5")  # WRONG reportArgumentType arg-type
    await ledger("5")  # WRONG reportArgumentType arg-type
    print(number, text)
