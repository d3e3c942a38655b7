"""The command `holdfast`: registers the commands of every noun, and reports errors in one line."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.command_group import use_command_groups
from holdfast.cli.commands import (
    alerts,
    answers,
    bulk,
    completion,
    db,
    dev,
    doctor,
    explain,
    fleet,
    flows,
    graph,
    init,
    keys,
    logs,
    run,
    runs,
    schedules,
    serve,
    start,
    stats,
    status,
    updates,
    validate,
    watch,
    workers,
    workflows,
)
from holdfast.cli.exit_codes import exit_code_of, folder_is_gone
from holdfast.cli.log_lines import log_to_stderr
from holdfast.cli.server_options import add_server_options
from holdfast.cli.views.output import say, say_error
from holdfast.errors import BadDocument, HoldfastError

app = typer.Typer(
    name="holdfast",
    help="Workflows that survive crashes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from holdfast import __version__

        typer.echo(f"holdfast {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    log_to_stderr()


_FOR_RUNS = (
    run,
    start,
    dev,
    serve,
    runs,
    explain,
    logs,
    watch,
    schedules,
    alerts,
    flows,
    workers,
    fleet,
    stats,
    status,
    answers,
    updates,
    bulk,
    keys,
)
_FOR_FILES_AND_DATABASES = (workflows, validate, graph, init, doctor, db, completion)
for _noun in (*_FOR_RUNS, *_FOR_FILES_AND_DATABASES):
    _noun.register(app)
add_server_options(app)
use_command_groups(app)


def main() -> None:
    """Runs the command and ends the process. `exit_codes` says with what."""
    _provide_streams()
    try:
        app(prog_name="holdfast")
    except (Exception, KeyboardInterrupt) as error:
        _tell(error)
        sys.exit(exit_code_of(error))
    finally:
        _flush_streams()


def _tell(error: BaseException) -> None:
    match error:
        case BadDocument():
            _print_problems(error)
        case HoldfastError():
            say_error(str(error))
        case FileNotFoundError() if folder_is_gone():
            say_error("the current folder is gone; go to another")
        case OSError(errno=errno.ENOSPC):
            say_error("no space is left to write the answer; the command may have done its work")
        case KeyboardInterrupt():  # before the command has installed its handlers
            pass
        case _:
            sys.excepthook(type(error), error, error.__traceback__)


def _provide_streams() -> None:
    """Opens the standard streams that the process was started without.

    Otherwise the next file to be opened would get descriptor 1 or 2, and our messages would go into it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115  # stays open
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        raw = getattr(stream, "buffer", None)
        if isinstance(raw, io.RawIOBase):
            # PYTHONUNBUFFERED is set. An unbuffered stream drops what a pipe does not take at once.
            buffer = io.BufferedWriter(raw)
            text = io.TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=True)
            setattr(sys, name, text)
    _escape_what_streams_lack()


def _escape_what_streams_lack() -> None:
    """Not every terminal and pipe takes UTF-8. What is missing there is escaped as in JSON, which then says
    the same."""

    def escape(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end

    codecs.register_error("holdfast", escape)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="holdfast")


def _print_problems(error: BadDocument) -> None:
    """As editors and CI read them: `file:line:column: message`, with the path relative to this folder."""
    for problem in error.problems:
        file = Path(problem.file)
        here = str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else problem.file
        say(str(problem._replace(file=here)), "red")


def _flush_streams() -> None:
    """Drops what cannot be written, so that Python's own flush at exit does not complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # nobody reads the pipe, or the disk is full
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
