"""What groups of commands do besides what Typer's groups do: `holdfast` itself, `holdfast runs` and so on."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.suggestions import OTHER_WORDS


class CommandGroup(TyperGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """A group that does not print its help when no command is named lists what there is: `holdfast nodes`
        is `holdfast nodes list`."""
        names_none = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        if names_none and not self.no_args_is_help and "list" in self.commands:
            args = ["list", *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            typed = f"{ctx.command_path} {args[0]}"
            if (instead := OTHER_WORDS.get(typed)) is not None:
                ctx.fail(f"No such command '{args[0]}'. Did you mean `{instead}`?")
        return super().resolve_command(ctx, args)

    # Typer ends with 1 if nobody reads the output any more. That is the code of a run that failed.

    def make_context(self, *args: Any, **options: Any) -> Any:  # prints the help
        try:
            return super().make_context(*args, **options)
        except BrokenPipeError:
            raise typer.Exit(ExitCode.BROKEN_PIPE) from None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(ExitCode.BROKEN_PIPE) from None


def use_command_groups(app: typer.Typer) -> None:
    """For this application and all its groups."""
    app.info.cls = CommandGroup
    for group in app.registered_groups:
        if group.typer_instance is not None:
            use_command_groups(group.typer_instance)
