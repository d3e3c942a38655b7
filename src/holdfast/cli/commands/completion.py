"""`holdfast completion`: a script with which a shell completes commands and options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from typer.completion import (
    completion_init,  # pyright: ignore[reportPrivateImportUsage]
    get_completion_script,  # pyright: ignore[reportPrivateImportUsage]
)

_VARIABLE = "_HOLDFAST_COMPLETE"
"""By which the script asks for completions; click derives it from the name of the program."""


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def register(app: typer.Typer) -> None:
    completion_init()  # lets click answer the script; Typer's own options to install it are left out
    app.command("completion")(completion)


def completion(shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print a script that completes commands and options in your shell.

    For bash, add this line to ~/.bashrc: eval "$(holdfast completion bash)". For zsh, the same with zsh in
    ~/.zshrc, after compinit. For fish: holdfast completion fish > ~/.config/fish/completions/holdfast.fish.
    """
    typer.echo(get_completion_script(prog_name="holdfast", complete_var=_VARIABLE, shell=shell.value))
