"""One page about a hunt: which test caught which fault."""

from __future__ import annotations

from collections.abc import Sequence

from tests.faults.fault import Fault
from tests.faults.hunt import Result

_LONGEST_WORD = 80
_HEAD = ("fault", "promise it breaks", "planted in", "caught by", "s")


def page(
    control: Sequence[Result], faults: Sequence[Fault], results: Sequence[Result], seconds: float
) -> str:
    caught = sum(result.is_good for result in results)
    verdict = "EVERY FAULT WAS CAUGHT" if caught == len(results) else "SOME FAULTS WERE NOT CAUGHT"
    if not all(result.is_good for result in control):
        verdict = "THE SOURCE WITHOUT A FAULT FAILS"
    lines = [
        "holdfast: planted faults",
        "========================",
        f"{verdict}  {caught} of {len(results)} in {seconds:.0f} s",
        "",
        "Each is a small edit, planted alone in a copy of the source. It counts as caught when a test that",
        "passes on the source as it is fails on the copy: by an assertion or by hanging, not by an import.",
        "",
        "On the source as it is:",
        *(
            f"  {'passed' if each.is_good else 'FAILED'}  {each.name} ({each.seconds:.0f} s)"
            for each in control
        ),
        *_details([each for each in control if not each.is_good]),
        "",
        *_table(faults, results),
        *_details([each for each in results if not each.is_good]),
    ]
    return "\n".join(lines) + "\n"


def _table(faults: Sequence[Fault], results: Sequence[Result]) -> list[str]:
    rows = [_HEAD] + [
        (fault.name, fault.breaks, fault.places, _short(result), f"{result.seconds:.0f}")
        for fault, result in zip(faults, results, strict=True)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = [
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return [lines[0], "-|-".join("-" * width for width in widths), *lines[1:]]


def _short(result: Result) -> str:
    if not result.is_good:
        return "NOTHING"
    by = result.by.removeprefix("tests/")
    if result.why.startswith("hangs"):
        return f"{by} (it hangs)"
    return f"{by}: {result.why[:_LONGEST_WORD]}" if by.startswith("simulation") else by


def _details(bad: Sequence[Result]) -> list[str]:
    lines: list[str] = []
    for each in bad:
        lines += ["", f"{each.name}: {each.by}", *(f"    {line}" for line in each.why.splitlines())]
    return lines
