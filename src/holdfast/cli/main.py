"""The command `holdfast`: puts the nouns together, and says what went wrong in one line."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.commands import (
    answers,
    doctor,
    flows,
    graph,
    init,
    logs,
    run,
    runs,
    schedules,
    serve,
    validate,
    workers,
)
from holdfast.cli.views.output import say, say_error
from holdfast.errors import BadDocument, HoldfastError

_REFUSED = 2
_UNTOLD = 74
"""EX_IOERR: what came of it could not be told."""

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
    from holdfast.cli.stderr_log import log_to_stderr

    log_to_stderr()


for _noun in (run, serve, runs, logs, schedules, flows, workers, answers, validate, graph, init, doctor):
    _noun.register(app)


def main() -> None:
    """Ends the process: with 2 for what was refused; other codes are told by each command."""
    _provide_streams()
    try:
        app(prog_name="holdfast")
    except BadDocument as error:
        _say_problems(error)
        sys.exit(_REFUSED)
    except HoldfastError as error:
        say_error(str(error))
        sys.exit(_REFUSED)
    except FileNotFoundError:
        if _has_folder():
            raise
        say_error("the current folder is gone; go to another")
        sys.exit(_REFUSED)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        say_error("there is no room for the answer where it is written to; what was asked for may be done")
        sys.exit(_UNTOLD)
    except KeyboardInterrupt:  # before the command has begun to listen for it
        sys.exit(128 + signal.SIGINT)
    finally:
        _close_pipes()


def _provide_streams() -> None:
    """A process may be started without some of the first three descriptors. The next file that is opened gets
    such a number, and what is meant for people would be written there."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115  # for as long as we live
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        raw = getattr(stream, "buffer", None)
        if isinstance(raw, io.RawIOBase):
            # By PYTHONUNBUFFERED: then Python drops what a pipe did not take at once.
            buffer = io.BufferedWriter(raw)
            text = io.TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=True)
            setattr(sys, name, text)


def _has_folder() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _say_problems(error: BadDocument) -> None:
    """As editors and CI read them: `file:line:column: message`, with the file as seen from here."""
    for problem in error.problems:
        file = Path(problem.file)
        here = str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else problem.file
        say(str(problem._replace(file=here)), "red")


def _close_pipes() -> None:
    """What is left for a pipe that nobody reads is of no use, nor is a complaint about it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # nobody reads it, or there is no room
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
