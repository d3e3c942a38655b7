"""What to type instead of a command that does not exist: the words of other systems, and words of our own in
the wrong place. Typing errors are found by Typer itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperGroup

if TYPE_CHECKING:
    import typer

OTHER_WORDS: Final[dict[str, str]] = {
    "holdfast approvals": "holdfast questions",
    "holdfast answer": "holdfast resolve",
    "holdfast reject": "holdfast approve RUN TASK --reject",
    "holdfast list": "holdfast runs list",
    "holdfast ls": "holdfast runs list",
    "holdfast ps": "holdfast runs list",
    "holdfast show": "holdfast runs show",
    "holdfast get": "holdfast runs show",
    "holdfast describe": "holdfast runs show",
    "holdfast status": "holdfast runs show",
    "holdfast cancel": "holdfast runs cancel",
    "holdfast stop": "holdfast runs cancel",
    "holdfast kill": "holdfast runs terminate",
    "holdfast terminate": "holdfast runs terminate",
    "holdfast pause": "holdfast runs pause",
    "holdfast resume": "holdfast runs resume",
    "holdfast retry": "holdfast runs retry",
    "holdfast rerun": "holdfast runs retry",
    "holdfast failures": "holdfast runs failures",
    "holdfast prune": "holdfast runs prune",
    "holdfast export": "holdfast runs export",
    "holdfast import": "holdfast runs import",
    "holdfast trigger": "holdfast start",
    "holdfast submit": "holdfast start",
    "holdfast workflow": "holdfast workflows",
    "holdfast publish": "holdfast workflows put",
    "holdfast apply": "holdfast workflows put",
    "holdfast server": "holdfast serve",
    "holdfast new": "holdfast init",
    "holdfast lint": "holdfast validate",
    "holdfast check": "holdfast validate",
    "holdfast log": "holdfast logs",
    "holdfast tail": "holdfast watch",
    "holdfast events": "holdfast watch",
    "holdfast migrate": "holdfast db migrate",
    "holdfast backup": "holdfast db backup",
    "holdfast version": "holdfast --version",
    "holdfast help": "holdfast --help",
    "holdfast runs ls": "holdfast runs list",
    "holdfast runs get": "holdfast runs show",
    "holdfast runs describe": "holdfast runs show",
    "holdfast runs status": "holdfast runs show",
    "holdfast runs start": "holdfast start",
    "holdfast runs create": "holdfast start",
    "holdfast runs logs": "holdfast logs",
    "holdfast runs watch": "holdfast watch",
    "holdfast runs explain": "holdfast explain",
    "holdfast runs signal": "holdfast signal",
    "holdfast runs update": "holdfast update",
    "holdfast runs approve": "holdfast approve",
    "holdfast runs stop": "holdfast runs cancel",
    "holdfast runs kill": "holdfast runs terminate",
    "holdfast runs rerun": "holdfast runs retry",
    "holdfast runs remove": "holdfast runs delete",
    "holdfast runs rm": "holdfast runs delete",
    "holdfast schedules ls": "holdfast schedules list",
    "holdfast schedules create": "holdfast schedules put",
    "holdfast schedules add": "holdfast schedules put",
    "holdfast schedules run": "holdfast schedules trigger",
    "holdfast schedules unpause": "holdfast schedules resume",
    "holdfast workflows ls": "holdfast workflows list",
    "holdfast workflows get": "holdfast workflows show",
    "holdfast workflows publish": "holdfast workflows put",
    "holdfast workflows create": "holdfast workflows put",
    "holdfast workflows start": "holdfast start",
    "holdfast workflows run": "holdfast start",
    "holdfast workflows validate": "holdfast validate",
    "holdfast keys ls": "holdfast keys list",
    "holdfast keys add": "holdfast keys create",
    "holdfast keys delete": "holdfast keys revoke",
    "holdfast db prune": "holdfast runs prune",
    "holdfast db upgrade": "holdfast db migrate",
}


class SuggestingGroup(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            typed = f"{ctx.command_path} {args[0]}"
            if (instead := OTHER_WORDS.get(typed)) is not None:
                ctx.fail(f"No such command '{args[0]}'. Did you mean `{instead}`?")
        return super().resolve_command(ctx, args)


def suggest_commands(app: typer.Typer) -> None:
    """For this application and all its groups."""
    app.info.cls = SuggestingGroup
    for group in app.registered_groups:
        if group.typer_instance is not None:
            suggest_commands(group.typer_instance)
