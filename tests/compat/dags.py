"""What 0.3.0 has beyond `workflows`: DAGs, what tasks say, and schedules. FROZEN, like that."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
from collections.abc import Iterator
from pathlib import Path

from tests.compat.workflows import catalog

from holdfast import DagWorkflow, context, load_dag, task, workflow
from holdfast.authoring.dag.loader import load_text

FOLDER = Path(__file__).parent / "dags"

delivery, fragile, held_up, edition, calling = (
    load_dag(FOLDER / f"{name}.yaml", catalog=catalog)
    for name in ("delivery", "fragile", "holding", "edition", "calling")
)

DAY = dt.date(2030, 1, 1)

_EARLIER = """\
name: edition
tasks:
  gate: {approval: true}
  say: {depends_on: gate, command: 'echo "HOLDFAST_OUTPUT:\\"the old edition\\""'}
"""


@contextlib.contextmanager
def earlier_edition() -> Iterator[DagWorkflow]:
    """What the file once said; afterwards only databases know it."""
    earlier = DagWorkflow(load_text(_EARLIER, file=edition.origin), _EARLIER, Path(edition.origin))
    catalog.add_workflow(earlier)
    try:
        yield earlier
    finally:
        catalog.add_workflow(edition)
        forget_earlier_editions()


def forget_earlier_editions() -> None:
    for key in [key for key, known in catalog.editions.items() if known.name == edition.name]:
        if key[1] != edition.version:
            del catalog.editions[key]


@task(catalog=catalog)
async def talk(words: str) -> None:
    logging.getLogger("compat").warning("said %s\ntwice", words)


@workflow(catalog=catalog)
async def talking() -> str:
    await talk("hello")
    heard = await context().signal("go", str)
    await talk(heard)
    return heard
