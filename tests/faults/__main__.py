"""`make faults`: plants every known fault, one at a time, and says which test catches it.

python -m tests.faults                     all of them: the control first, then the hunt
python -m tests.faults --only no-fence     one
python -m tests.faults --list              their names and the promises they break
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.catalogue import FAULTS
from tests.faults.hunt import Result, control, hunt
from tests.faults.planting import checkout
from tests.faults.report import page


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        choices=sorted(FAULTS),
        help="only this one; may be given again",
    )
    parser.add_argument("--list", action="store_true", help="print their names and the promises they break")
    parser.add_argument("--report", type=Path, help="also write the page to this file")
    options = parser.parse_args()
    chosen = [FAULTS[name] for name in options.only or FAULTS]
    if options.list:
        for fault in chosen:
            print(f"{fault.name:40} {fault.breaks}")
        return 0
    began = time.monotonic()
    with checkout() as root:
        print(f"the source as it is, against everything that is to catch {len(chosen)} faults:", flush=True)
        green = control(root, chosen, _progress(None, "passed", "FAILED"))
        print("the faults, one at a time:", flush=True)
        results = hunt(root, chosen, green, _progress(len(chosen), "caught", "NOT CAUGHT"))
    text = page(green, chosen, results, time.monotonic() - began)
    print(f"\n{text}")
    if options.report:
        options.report.write_text(text, encoding="utf-8")
    return 0 if all(result.is_good for result in (*green, *results)) else 1


def _progress(of: int | None, good: str, bad: str) -> Callable[[Result], None]:
    done = 0

    def tell(result: Result) -> None:
        nonlocal done
        done += 1
        place = f"{done:3}{'' if of is None else f' of {of}'}"
        word = good if result.is_good else bad
        print(f"{place}  {word:10}  {result.name:40}  {result.seconds:4.0f} s  {result.by}", flush=True)

    return tell


if __name__ == "__main__":
    sys.exit(main())
