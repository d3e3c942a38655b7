"""The workflow of bulk jobs. Each page of runs is one step, so a crash repeats one page at most.

The progress is in the state of the run, and the refusals are in the results of its steps.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any, Final, TypeVar

from holdfast.authoring.code.context import Context
from holdfast.authoring.code.definitions import Workflow
from holdfast.core.bulk import (
    BULK,
    BULK_CLAIM,
    BULK_VERSION,
    PROGRESS,
    BulkBeginning,
    BulkPage,
    BulkPlace,
    BulkPlan,
    BulkProgress,
    add_page,
)
from holdfast.core.policies import Retry
from holdfast.ports.bulk import BulkWorker

T = TypeVar("T")

_STEPS_OF_A_CHAPTER: Final = 200
_RETRY: Final = Retry(max_attempts=20, max_delay=dt.timedelta(minutes=1))
"""The database may be away for a while."""


class BulkWorkflow(Workflow[..., BulkProgress]):
    @property
    def claim(self) -> str:
        return BULK_CLAIM


def bulk_workflow(worker: BulkWorker) -> BulkWorkflow:
    async def perform(
        ctx: Context,
        plan: BulkPlan,
        progress: BulkProgress | None = None,
        place: BulkPlace | None = None,
    ) -> BulkProgress:
        async def count_runs() -> BulkBeginning:
            return await worker.begin(job, plan)

        async def do_page() -> BulkPage:
            assert place is not None
            return await worker.do_page(job, plan, place)

        job = ctx.run_id
        if progress is None:
            begun = await ctx.step("count", count_runs, retry=_RETRY)
            progress, place = BulkProgress(begun.matched, begun.is_exact), begun.place
            ctx.state.set(PROGRESS, progress)
        while place is not None:
            page = await _finished(ctx.step(plan.act, do_page, retry=_RETRY))
            progress, place = add_page(progress, page), page.next
            ctx.state.set(PROGRESS, progress)
            if ctx.cancel_requested:
                raise asyncio.CancelledError
            if ctx.history_size > _STEPS_OF_A_CHAPTER and place is not None:
                ctx.continue_as(plan, progress, place)
        return progress

    return BulkWorkflow(perform, perform, BULK, BULK_VERSION)


async def _finished(step: asyncio.Future[T] | Any) -> T:
    """If the job is cancelled meanwhile, the page is finished and counted."""
    try:
        return await asyncio.shield(step)
    except asyncio.CancelledError:
        return await step
