"""One `holdfast run`: starts or continues a run, watches it, prints its end, and stops in order."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, assert_never

from holdfast.app import Holdfast
from holdfast.authoring.catalog import DataWorkflow, WorkflowDefinition, default_catalog
from holdfast.authoring.kinds import as_data, read_definition
from holdfast.authoring.outline import EMPTY_OUTLINE
from holdfast.cli.arguments.inputs import Arguments, read_arguments
from holdfast.cli.arguments.runs import find_run
from holdfast.cli.arguments.targets import check_functions, load_all
from holdfast.cli.database import DatabaseOptions, new_holdfast, run_async
from holdfast.cli.exit_codes import ExitCode, exit_code_of_run
from holdfast.cli.interrupts import (
    InterruptChoice,
    Interrupts,
    ask_what_to_do,
    close_in_order,
    find_terminal,
)
from holdfast.cli.views.output import (
    COLOURS,
    answer_console,
    answer_stream,
    between,
    is_terminal,
    json_text,
    say,
    span_text,
    terminal_console,
    user_prints_to_stderr,
    write_answer,
)
from holdfast.cli.views.plain import JsonView, PlainView
from holdfast.cli.views.progress import RunProgress, RunSnapshot, View
from holdfast.cli.views.visible import one_line, visible
from holdfast.cli.views.wording import retry_command
from holdfast.cli.watching.watcher import RunWatcher
from holdfast.client.run import Run, RunInfo
from holdfast.core.records import Definition
from holdfast.core.values import RunStatus
from holdfast.errors import BadOption, RunEnded, StoreError


class RunRequest(NamedTuple):
    """What the user asked for on the command line."""

    targets: list[str]
    """The workflow to run, and those that it calls."""
    has_target: bool
    """False: the workflow is that of the existing run, and `targets` are those that it calls."""
    input: str | None
    id: str | None
    existing: str | None
    """The run to continue."""
    is_retry: bool
    """Open the existing run again first."""
    database: DatabaseOptions
    as_json: bool
    is_plain: bool

    @property
    def also(self) -> list[str]:
        """The `--also` options, as the user typed them."""
        others = self.targets[1:] if self.has_target else self.targets
        return [word for other in others for word in ("--also", other)]


class ExistingRun(NamedTuple):
    info: RunInfo
    definition: Definition | None


def carry_out(request: RunRequest) -> ExitCode:
    """Raises HoldfastError for what is refused, and any error that importing the user's code raises."""
    with user_prints_to_stderr():
        existing = None if request.existing is None else run_async(_find_existing(request))
        if existing is not None and existing.info.status.is_final and not request.is_retry:
            return run_async(_show_ended(request, existing))
        arguments = read_arguments(request.input)
        # User code is imported while no event loop runs, as in any other program.
        workflows = _load(request, existing)
        return run_async(_run(request, workflows, arguments, existing))


async def _run(
    request: RunRequest,
    workflows: Sequence[WorkflowDefinition],
    arguments: Arguments,
    existing: ExistingRun | None,
) -> ExitCode:
    workflow = as_data(workflows[0]) if existing is None else read_definition(existing.definition)
    view = _new_view(request, existing, is_code=workflow is None)
    # The engine works on this run only. Otherwise it would begin other runs and leave them at the end.
    client = new_holdfast(request.database, engine="own")
    client.exit_when_stalled(ExitCode.STALLED)

    def detach(code: int) -> None:
        if code == ExitCode.TERMINATED:  # after Ctrl-C the user may decide to go on
            client.expect_stop(code)

    with view.prints_above(), contextlib.ExitStack() as stack:
        await client.open()  # hears what is printed before the view does
        interrupts = stack.enter_context(Interrupts(detach))
        try:
            if existing is None:
                run = await client.start_with(workflows[0], *arguments, id=request.id)
                if request.id is not None:
                    await _check_same(client, run, workflows[0], arguments)
            else:
                run = await _continue(client, existing.info, is_retry=request.is_retry)
            info = await client.describe(run)
            watcher = RunWatcher(client, run, _new_progress(workflow, info), info)
            session = RunSession(request, client, watcher, view, interrupts)
            ended = await session.watch()
        finally:
            await close_in_order(client.close, interrupts, request.database.settings.drain_seconds)
        return ended if isinstance(ended, ExitCode) else await session.detach(ended)


async def _check_same(
    client: Holdfast, run: Run[Any], workflow: WorkflowDefinition, arguments: Arguments
) -> None:
    """An earlier run may have the id. Raises BadOption if its workflow or its input differs."""
    info = await client.describe(run)
    if info.workflow != workflow.name:
        raise BadOption("--id", run.id, f"another: there is a run of that id, of workflow {info.workflow!r}")
    if info.input != await client.preview_input(workflow, *arguments):
        raise BadOption(
            "--id", run.id, "another: there is a run of that id with other inputs; --resume watches it"
        )


async def _find_existing(request: RunRequest) -> ExistingRun:
    async with new_holdfast(request.database, engine=False) as client:
        info = await find_run(client, request.existing or "")
        return ExistingRun(info, await client.definition(info.id))


async def _continue(client: Holdfast, info: RunInfo, *, is_retry: bool) -> Run[Any]:
    if is_retry:
        await client.retry(info.id)
    elif info.status in (RunStatus.PARKED, RunStatus.PAUSED):
        await client.resume(info.id)
    await client.take_up(info.id)
    return await client.get(info.id)


def _load(request: RunRequest, existing: ExistingRun | None) -> list[WorkflowDefinition]:
    texts = request.targets
    if existing is not None and not request.has_target:
        origin = "" if existing.definition is None else existing.definition.origin
        if not origin:
            return _load_around(request, existing)
        texts = [origin, *texts]
    return load_all(texts)


def _load_around(request: RunRequest, existing: ExistingRun) -> list[WorkflowDefinition]:
    """Loads only what a published workflow needs, since the store has its definition. Raises BadOption."""
    published = read_definition(existing.definition)
    if published is None:
        expected = f"given: it is not known where workflow {existing.info.workflow!r} is defined"
        raise BadOption("TARGET", None, expected)
    workflows = load_all(request.targets, is_first_a_workflow=False)
    check_functions(published)
    return workflows


async def _show_ended(request: RunRequest, existing: ExistingRun) -> ExitCode:
    """Shows a run that has ended already."""
    async with new_holdfast(request.database, engine=False) as client:
        run = await client.get(existing.info.id)
        progress = _new_progress(read_definition(existing.definition), existing.info)
        watcher = RunWatcher(client, run, progress, existing.info)
        view = _new_view(request, existing, is_code=False)
        await watcher.watch(view)
    view.finish(watcher.snapshot)
    return print_end(watcher.snapshot, request)


def _new_progress(workflow: DataWorkflow | None, info: RunInfo) -> RunProgress:
    outline = EMPTY_OUTLINE if workflow is None else workflow.outline(info.input)
    return RunProgress(outline, _attempts_of)


def _attempts_of(task: str) -> int | None:
    found = default_catalog.find_task(task)
    return None if found is None else found.task_options.retry.max_attempts


def _new_view(request: RunRequest, existing: ExistingRun | None, *, is_code: bool) -> View:
    since = None if existing is None else dt.datetime.now(dt.UTC)
    if request.as_json:
        return JsonView(write_answer, since)
    console = terminal_console()
    # Do not ask rich: with FORCE_COLOR, which CI systems set, it takes a pipe for a terminal.
    if request.is_plain or not is_terminal(sys.stderr) or console.is_dumb_terminal:
        return PlainView(_write_line, request.database, since, is_code=is_code)
    from holdfast.cli.views.live import LiveView

    return LiveView(console, request.database)


def _write_line(text: str) -> None:
    sys.stderr.write(visible(text, keep="\t") + "\n")
    sys.stderr.flush()


# --- watching


class RunSession:
    """Watches a run, and does what the user at the terminal wants."""

    def __init__(
        self, request: RunRequest, client: Holdfast, watcher: RunWatcher, view: View, interrupts: Interrupts
    ) -> None:
        self._request = request
        self._client = client
        self._watcher = watcher
        self._view = view
        self._interrupts = interrupts
        self._is_cancelled = False
        self._is_at_its_end = False

    async def watch(self) -> ExitCode | signal.Signals:
        """The exit code of a run that has ended, after its end is printed; or the signal to detach."""
        watching = asyncio.create_task(self._watcher.watch(self._view), name="holdfast cli watch")
        try:
            detached = await self._until_detached(watching)
            if detached is None:
                watching.result()  # raises its error
                return self._finish()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            self._view.hide()
        self._interrupts.settle(_code_of(detached), self._goodbye())
        return detached

    async def detach(self, by: signal.Signals) -> ExitCode:
        """Called after tasks under way had time to finish: the run may have ended with them."""
        with contextlib.suppress(StoreError):  # then the last snapshot counts
            async with new_holdfast(self._request.database, engine=False) as client:
                await self._watcher.look_with(client)
        if self._watcher.snapshot.info.status.is_final:
            return self._finish()
        self._view.finish(self._watcher.snapshot)
        say(self._goodbye())
        return _code_of(by)

    def _finish(self) -> ExitCode:
        self._view.finish(self._watcher.snapshot)
        code = print_end(self._watcher.snapshot, self._request)
        self._interrupts.settle(code)
        return code

    def _goodbye(self) -> str:
        request, id = self._request, self._watcher.snapshot.info.id
        command = request.database.command("run", "--resume", id, *request.also)
        return f"detached; the run goes on with: {command}"

    async def _until_detached(self, watching: asyncio.Task[None]) -> signal.Signals | None:
        """The signal to detach; None if the run came to rest."""
        while True:
            received = asyncio.ensure_future(self._interrupts.next())
            await asyncio.wait({watching, received}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                received.cancel()
                return None
            if await self._is_to_detach(received.result(), watching):
                return received.result()

    async def _is_to_detach(self, received: signal.Signals, watching: asyncio.Task[None]) -> bool:
        if self._watcher.has_ended and not self._is_at_its_end:
            self._is_at_its_end = True  # the end is about to be shown, but a second signal need not wait
            return False
        terminal = find_terminal()
        if received is signal.SIGTERM or terminal is None or self._is_cancelled:
            return True
        self._view.hide()
        match await ask_what_to_do(terminal, self._interrupts, watching):
            case InterruptChoice.DETACH:
                return True
            case InterruptChoice.CANCEL:
                self._is_cancelled = True
                await self._cancel()
            case InterruptChoice.GO_ON:
                pass
        self._view.reveal()
        return False

    async def _cancel(self) -> None:
        try:
            await self._client.cancel(self._watcher.run, "cancelled at the terminal")
            say("asked the run to end; Ctrl-C detaches")
        except RunEnded:
            pass  # the run ended before the user answered


def _code_of(received: signal.Signals) -> ExitCode:
    return ExitCode.TERMINATED if received is signal.SIGTERM else ExitCode.INTERRUPTED


# --- the end


def print_end(snapshot: RunSnapshot, request: RunRequest) -> ExitCode:
    """Prints a summary, what to do next, and the output. Returns the exit code."""
    info, database = snapshot.info, request.database
    if request.as_json:
        write_answer(json_text({"event": "result", **_facts(info)}))
        return exit_code_of_run(info.status)
    say(_summary(info, snapshot.progress), COLOURS.get(info.status, ""))
    if info.failure is not None and info.status is not RunStatus.CANCELLED:
        say(f"  {one_line(info.failure.summary, 2000)}", "red")
    match info.status:
        case RunStatus.SUCCESS:
            _print_output(info)
        case RunStatus.FAILED | RunStatus.CANCELLED:
            say(f"  try again what failed: {retry_command(info, database, request.also)}")
        case RunStatus.PARKED:
            say(f"  when that is mended: {database.command('run', '--resume', info.id, *request.also)}")
        case RunStatus.PAUSED:
            say(f"  let it go on: {database.command('run', '--resume', info.id, *request.also)}")
        case RunStatus.PENDING | RunStatus.RUNNING:
            pass
        case _:
            assert_never(info.status)
    return exit_code_of_run(info.status)


def _summary(info: RunInfo, progress: RunProgress) -> str:
    took = between(info.started_at or info.created_at, info.finished_at, dt.datetime.now(dt.UTC))
    after = "" if took is None else f" after {span_text(took)}"
    counts: Counter[str] = Counter()
    for line in progress.lines.values():
        if not line.is_to_come_again:
            counts.update({status.value: count for status, count in line.counts.items()})
    tasks = ", ".join(f"{count:,} {state}" for state, count in sorted(counts.items()) if count)
    return f"{info.status}{after}" + (f" (tasks: {tasks})" if tasks else "")


def _print_output(info: RunInfo) -> None:
    """A terminal does not show an output of null, but a pipe gets it: null is JSON too."""
    text = json_text(info.output, is_pretty=True)
    if not is_terminal(answer_stream()):
        write_answer(text)
    elif info.output is not None:
        from rich.highlighter import JSONHighlighter

        answer_console().print(JSONHighlighter()(visible(text)))


def _facts(info: RunInfo) -> dict[str, object]:
    return {
        "run": info.id,
        "key": info.key,
        "workflow": info.workflow,
        "version": info.version,
        "status": info.status,
        "output": info.output,
        "failure": info.failure,
        "created_at": info.created_at,
        "started_at": info.started_at,
        "finished_at": info.finished_at,
    }
