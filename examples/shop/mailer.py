"""A worker that writes letters for the flow `onboarding`: `python mailer.py http://127.0.0.1:8070`"""

from __future__ import annotations

import sys

from holdfast.worker import Worker

worker = Worker(f"{sys.argv[1] if len(sys.argv) > 1 else 'http://127.0.0.1:8070'}/api", mode="pull")


@worker.service("mail")
def write_letter(merchant: str) -> str:
    return f"dear {merchant}, we need another paper"


if __name__ == "__main__":
    worker.run()
