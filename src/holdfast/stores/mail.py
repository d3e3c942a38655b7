"""Reading the mail of runs: no more in one transaction than a node has room for.

What is left stays unread. The row of its run is marked as when a message arrives, so that the next
collection finds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from holdfast.core.events import MessageId
from holdfast.core.records import MessageRecord
from holdfast.core.values import Payload, RunKey
from holdfast.ports.commits import Commit
from holdfast.stores.bounded_reads import LARGE, read_within
from holdfast.stores.database import Row, Transaction
from holdfast.stores.records import message_record


def read_mail(
    tx: Transaction, commit: Commit, readers: Sequence[Row]
) -> tuple[list[MessageRecord], frozenset[RunKey]]:
    """The unread messages of these runs, in order, and the runs of which some were left. A reader is a run
    and the number of the message after which to begin. Of each run the oldest come first. Small messages do
    not wait for large ones of other runs."""
    if not readers:
        return [], frozenset()
    share = max(1, commit.mail_rows // len(readers))
    rows = sorted(tx.many_returning("unread_messages_of", readers, share + 1, LARGE), key=lambda row: row[0])
    small = sum(row[6] for row in rows if row[4] is not None)
    large = [row for row in rows if row[4] is None]
    payloads = _read_large(tx, large, max(commit.mail_bytes - small, 1)) if large else {}
    mail: list[MessageRecord] = []
    counts: Counter[RunKey] = Counter()
    left: set[RunKey] = set()
    room = commit.mail_bytes
    for id, run, kind, name, payload, taken, size, *rest in rows:
        whole = payloads.get(id) if payload is None else payload
        counts[run] += 1
        if whole is None or counts[run] > share or (room <= 0 and payload is not None):
            left.add(run)
        elif run not in left:
            mail.append(message_record((id, run, kind, name, whole, taken, *rest)))
            room -= size if payload is not None else 0
    tx.many("leave_mail", [(run,) for run in sorted(left)], commit.namespace, commit.now)
    return mail, frozenset(left)


def _read_large(tx: Transaction, rows: Sequence[Row], room: int) -> dict[MessageId, Payload]:
    """The payloads of the first large message of each run, then of the second, and so on."""
    turns: Counter[RunKey] = Counter()
    queue: list[tuple[int, MessageId, int]] = []
    for id, run, _, _, _, _, size, *_ in rows:
        turns[run] += 1
        queue.append((turns[run], id, size))
    queue.sort()
    found: dict[MessageId, Payload] = {}

    def read(start: int, end: int) -> int:
        payloads = tx.many_returning("payloads_of", [(id,) for _, id, _ in queue[start:end]])
        found.update(payloads)
        return sum(len(payload) for _, payload in payloads)

    read_within(room, [size for _, _, size in queue], read)
    return found
