"""One `holdfast run`: start a run or take one up again, watch it to its end, and leave in order."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from holdfast.app import Holdfast
from holdfast.authoring.catalog import WorkflowDefinition, default_catalog
from holdfast.cli.database_options import DatabaseOptions, new_holdfast, run_async
from holdfast.cli.finding import dag_of, find_run
from holdfast.cli.inputs import Arguments, read_arguments
from holdfast.cli.interrupt import InterruptChoice, Interrupts, ask, close_in_order, find_terminal
from holdfast.cli.targets import Target, check_functions, load_all
from holdfast.cli.views.ending import Exit, tell_end
from holdfast.cli.views.flow_nodes import edition_of, nodes_of
from holdfast.cli.views.output import is_terminal, say, stderr, user_prints_to_stderr, write_answer
from holdfast.cli.views.plain import JsonView, PlainView
from holdfast.cli.views.progress import RunProgress
from holdfast.cli.views.visible import visible
from holdfast.cli.watching import RunWatcher, View
from holdfast.client.run import Run, RunInfo
from holdfast.core.records import Definition
from holdfast.core.values import RunStatus
from holdfast.errors import BadOption, Refused, RunEnded, StoreError

if TYPE_CHECKING:
    from holdfast.authoring.flow.model import Flow


class RunRequest(NamedTuple):
    """What was asked for on the command line."""

    targets: list[str]
    """The workflow to run, and those that it calls."""
    has_target: bool
    """False: the workflow is that of the old run, and `targets` are those that it calls."""
    input: str | None
    id: str | None
    old: str | None
    """The run to go on with."""
    is_retry: bool
    """Open it again first."""
    place: DatabaseOptions
    as_json: bool
    is_plain: bool

    @property
    def also(self) -> list[str]:
        """What was named besides the workflow, as it is typed."""
        others = self.targets[1:] if self.has_target else self.targets
        return [word for other in others for word in ("--also", other)]


class ExistingRun(NamedTuple):
    """A run that there is already."""

    info: RunInfo
    definition: Definition | None


def carry_out(order: RunRequest) -> Exit:
    """Raises HoldfastError for what is refused; user code that cannot be imported raises what it likes."""
    with user_prints_to_stderr():
        old = None if order.old is None else run_async(_find_old(order.place, order.old))
        if old is not None and old.info.status.is_final and not order.is_retry:
            return run_async(_show_end(order, old))
        arguments = read_arguments(order.input)
        # User code is imported while no loop runs, as it would be elsewhere.
        targets = _load(order, old)
        return run_async(_work(order, targets, arguments, old))


async def _work(
    order: RunRequest, targets: Sequence[Target], arguments: Arguments, old: ExistingRun | None
) -> Exit:
    # For this run alone: others of the workflow that are due would be begun here, and left when it has ended.
    client = new_holdfast(order.place, engine="own")
    await client.open()
    with Interrupts() as interrupts:
        try:
            if old is None:
                run = await client.start_with(targets[0].workflow, *arguments, id=order.id)
                if order.id is not None:
                    await _check_same(client, run, targets[0].workflow, arguments)
            else:
                run = await _take_up(client, old.info, is_retry=order.is_retry)
            info = await client.describe(run)
            watch = RunWatcher(client, run, _board(old, targets, info), info)
            session = Session(order, client, watch, _view(order, old), interrupts)
            came = await session.until_it_rests()
        finally:
            await close_in_order(client, interrupts, order.place.settings.drain_seconds)
        return came if isinstance(came, Exit) else await session.leave(came)


async def _check_same(
    client: Holdfast, run: Run[Any], workflow: WorkflowDefinition, arguments: Arguments
) -> None:
    """The id may belong to a run from before, which must then be what was asked for. Raises BadOption."""
    info = await client.describe(run)
    if info.workflow != workflow.name:
        raise BadOption("--id", run.id, f"another: there is a run of that id, of workflow {info.workflow!r}")
    if info.input != await client.preview_input(workflow, *arguments):
        raise BadOption(
            "--id", run.id, "another: there is a run of that id with other inputs; --resume watches it"
        )


async def _find_old(place: DatabaseOptions, run: str) -> ExistingRun:
    async with new_holdfast(place, engine=False) as client:
        info = await find_run(client, run)
        return ExistingRun(info, await client.definition(info.id))


async def _take_up(client: Holdfast, info: RunInfo, *, is_retry: bool) -> Run[Any]:
    """Let it go on, if somebody has to."""
    if is_retry:
        await client.retry(info.id)
    elif info.status in (RunStatus.PARKED, RunStatus.PAUSED):
        await client.resume(info.id)
    await client.take_up(info.id)
    return await client.get(info.id)


def _load(order: RunRequest, old: ExistingRun | None) -> list[Target]:
    texts = order.targets
    if old is not None and not order.has_target:
        if old.definition is not None and old.definition.kind == "flow" and not old.definition.origin:
            return _load_around(texts, old.definition)
        if old.definition is None or not old.definition.origin:
            expected = f"given: it is not known where workflow {old.info.workflow!r} is defined"
            raise BadOption("TARGET", None, expected)
        texts = [old.definition.origin, *texts]
    return load_all(texts)


def _load_around(texts: Sequence[str], published: Definition) -> list[Target]:
    """What a flow needs that was published: the store has the flow itself."""
    targets = load_all(texts, is_first_a_workflow=False)
    edition = edition_of(published)
    if edition is not None:
        check_functions(edition)
    return targets


async def _show_end(order: RunRequest, old: ExistingRun) -> Exit:
    """It is over: nothing is to be done, but it can be looked at."""
    async with new_holdfast(order.place, engine=False) as client:
        run = await client.get(old.info.id)
        watch = RunWatcher(client, run, _board(old, [], old.info), old.info)
        view = _view(order, old)
        await watch.until_it_rests(view)
    view.finish(watch.news)
    return tell_end(watch.news, order.place, also=order.also, as_json=order.as_json)


def _board(old: ExistingRun | None, targets: Sequence[Target], info: RunInfo) -> RunProgress:
    flow = _flow(old, targets)
    if flow is not None:
        return RunProgress(nodes=nodes_of(flow, info.input))
    if not targets:
        return RunProgress(None if old is None else dag_of(old.definition), _attempts_of)
    dag = targets[0].dag
    if old is not None and targets[0].workflow.version != old.info.version:
        dag = _edition(old, targets[0])
    return RunProgress(dag, _attempts_of)


def _flow(old: ExistingRun | None, targets: Sequence[Target]) -> Flow | None:
    """Which the run was started with."""
    if old is None:
        return targets[0].flow
    edition = edition_of(old.definition)
    return None if edition is None else edition.flow


def _edition(old: ExistingRun, target: Target) -> Any:
    """The DAG that the run was started with, which may have been edited since."""
    if target.dag is None or old.definition is None:
        return None
    try:
        return cast("Any", target.workflow).edition(old.definition).dag
    except Refused:
        return None  # of a version that is not understood here: then its tasks are shown as they come


def _attempts_of(task: str) -> int | None:
    found = default_catalog.find_task(task)
    return None if found is None else found.task_options.retry.max_attempts


def _view(order: RunRequest, old: ExistingRun | None) -> View:
    since = None if old is None else dt.datetime.now(dt.UTC)
    if order.as_json:
        return JsonView(write_answer, since)
    console = stderr()
    # rich would take FORCE_COLOR, as CI systems set it, for a terminal that can be drawn on.
    if order.is_plain or not is_terminal(sys.stderr) or console.is_dumb_terminal:
        return PlainView(_write_line, order.place, since)
    from holdfast.cli.views.live import LiveView

    return LiveView(console, order.place)


def _write_line(text: str) -> None:
    sys.stderr.write(visible(text, keep="\t") + "\n")
    sys.stderr.flush()


# --- watching


class Session:
    """Watches a run, and hears what whoever sits at the terminal wants."""

    def __init__(
        self, order: RunRequest, client: Holdfast, watch: RunWatcher, view: View, interrupts: Interrupts
    ) -> None:
        self._order = order
        self._client = client
        self._watch = watch
        self._view = view
        self._interrupts = interrupts
        self._is_cancelled = False
        self._is_at_its_end = False

    async def until_it_rests(self) -> Exit | signal.Signals:
        """What it ended with, which is told; or the signal by which somebody wants to leave it."""
        watching = asyncio.create_task(self._watch.until_it_rests(self._view), name="holdfast cli watch")
        try:
            left = await self._until_left(watching)
            if left is None:
                watching.result()  # raises what went wrong
                return self._tell_end()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            self._view.hide()
        self._interrupts.settle(_exit_by(left), self._goodbye())
        return left

    async def leave(self, left: signal.Signals) -> Exit:
        """Tasks under way have had a while to finish, and the run may have ended with them."""
        with contextlib.suppress(StoreError):  # then it is not known here how it stands
            async with new_holdfast(self._order.place, engine=False) as client:
                await self._watch.look_back(client)
        if self._watch.news.info.status.is_final:
            return self._tell_end()
        self._view.finish(self._watch.news)
        say(self._goodbye())
        return _exit_by(left)

    def _tell_end(self) -> Exit:
        self._view.finish(self._watch.news)
        order = self._order
        code = tell_end(self._watch.news, order.place, also=order.also, as_json=order.as_json)
        self._interrupts.settle(code)
        return code

    def _goodbye(self) -> str:
        command = self._order.place.command("run", "--resume", self._watch.news.info.id, *self._order.also)
        return f"detached; the run goes on with: {command}"

    async def _until_left(self, watching: asyncio.Task[None]) -> signal.Signals | None:
        """The signal by which somebody detached; None if the run came to rest."""
        while True:
            came = asyncio.ensure_future(self._interrupts.next())
            await asyncio.wait({watching, came}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                came.cancel()
                return None
            left = await self._answer(came.result(), watching)
            if left is not None:
                return left

    async def _answer(self, came: signal.Signals, watching: asyncio.Task[None]) -> signal.Signals | None:
        """The signal, if it is to detach."""
        if self._watch.has_ended and not self._is_at_its_end:
            self._is_at_its_end = True  # nothing is left to detach from, but whoever insists need not wait
            return None
        terminal = find_terminal()
        if came is signal.SIGTERM or terminal is None or self._is_cancelled:
            return came
        self._view.hide()
        match await ask(terminal, self._interrupts, watching):
            case InterruptChoice.DETACH:
                return came
            case InterruptChoice.CANCEL:
                self._is_cancelled = True
                await self._cancel()
            case InterruptChoice.GO_ON:
                pass
        self._view.reveal()
        return None

    async def _cancel(self) -> None:
        try:
            await self._client.cancel(self._watch.run, "cancelled at the terminal")
            say("asked the run to end; Ctrl-C detaches")
        except RunEnded:
            pass  # it was over before the answer came


def _exit_by(left: signal.Signals) -> Exit:
    return Exit.TERMINATED if left is signal.SIGTERM else Exit.INTERRUPTED
