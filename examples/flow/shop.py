"""The tasks of an order; `order.yaml` says when each runs. Each task adds its name to done.txt."""

import time
from pathlib import Path

from holdfast import task


def note(what: str) -> None:
    with Path("done.txt").open("a") as file:
        file.write(what + "\n")


@task
def price(order: dict[str, float]) -> float:
    note("price")
    return sum(order.values())


@task
def stock(order: dict[str, float]) -> str:
    note("stock")
    if Path("closed").exists():
        raise ConnectionError("the warehouse does not answer")
    return f"{len(order)} in stock"


@task
def fraud(order: dict[str, float]) -> str:
    note("fraud")
    time.sleep(2)
    return "low risk"


@task
def charge(total: float, card: str = "visa") -> str:
    note("charge")
    if card == "stolen":
        raise ValueError("the card is declined")
    return f"{total:.2f} by {card}"


@task
def ship(order: dict[str, float]) -> str:
    note("ship")
    return f"{len(order)} on their way"


@task
def apologise(order: dict[str, float]) -> str:
    note("apologise")
    return "we are sorry"
