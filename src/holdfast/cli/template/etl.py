"""The tasks of etl.yaml that are written in Python: plain functions, which do not import holdfast.

Parameters are filled by name from `inputs`, and converted to their type hints: `day` is a date, and each of
`totals` is a Total. The return value is the output of the task. `holdfast logs` has what the function prints.
"""

import datetime as dt
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Total:
    shop: str
    sales: int
    cents: int


def extract(day: dt.date, shops: int) -> dict[str, object]:
    """Fetch the sales of every shop. This example invents them, always the same for the same day."""
    folder = Path("data") / day.isoformat()
    folder.mkdir(parents=True, exist_ok=True)
    files: list[str] = []
    for shop in range(1, shops + 1):
        file = folder / f"shop-{shop:02}.csv"
        sales = [f"{9 + sale},{day.day * 100 + shop * 37 + sale * 11}" for sale in range(5 + shop % 4)]
        file.write_text("\n".join(["hour,cents", *sales]) + "\n", encoding="utf-8")
        files.append(str(file))
    return {"files": files, "count": len(files)}


def publish(day: dt.date, totals: list[Total]) -> dict[str, object]:
    """Write the report. It is safe to do this twice, which may happen after a crash."""
    time.sleep(1)
    report = Path("reports") / f"{day.isoformat()}.md"
    report.parent.mkdir(exist_ok=True)
    rows = [f"| {total.shop} | {total.sales} | {total.cents / 100:.2f} |" for total in totals]
    report.write_text(
        "\n".join([f"# {day}", "", "| shop | sales | sum |", "| --- | --- | --- |", *rows, ""]), "utf-8"
    )
    return {"report": str(report), "cents": sum(total.cents for total in totals)}
