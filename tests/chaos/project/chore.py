"""A task as a command: `chore.py LABEL [AFTER...]`. What it does stands in its input and its environment.

`seconds` in the input: how long it takes. `flag` in the input: it fails until there is that file. FAILS: so
many of its first attempts fail. BEATS: it says all the while that it is alive. STUBBORN: SIGTERM is ignored.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

from notes import began, finished, since_when


def take_time(seconds: float) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if "BEATS" in os.environ:
            with open(os.environ["HOLDFAST_HEARTBEAT_FILE"], "w") as file:
                file.write(json.dumps(f"{left:.1f} s left"))
        time.sleep(min(left, 0.1))


def main() -> None:
    label, *after = sys.argv[1:]
    given = json.loads(os.environ["HOLDFAST_INPUT"])
    if "STUBBORN" in os.environ:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    began(label, after, since_when())
    print(f"{label} begins", flush=True)
    take_time(given.get("seconds", 0))
    finished()
    if int(os.environ["HOLDFAST_ATTEMPT"]) <= int(os.environ.get("FAILS", "0")):
        sys.exit(f"{label} fails in attempt {os.environ['HOLDFAST_ATTEMPT']}, as it is to")
    if "flag" in given and not os.path.exists(given["flag"]):
        sys.exit(f"{label} is not mended yet")
    with open(os.environ["HOLDFAST_OUTPUT_FILE"], "w") as file:
        json.dump(f"{given['who']}:{label}", file)


if __name__ == "__main__":
    main()
