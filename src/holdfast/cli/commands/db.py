"""`holdfast db`: the schema of the database, and copies of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.database import DatabaseOptions, find_database, prepare_file
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.options import AsJson, Db
from holdfast.cli.views.output import moment_text, print_json, say
from holdfast.cli.views.tables import print_table

if TYPE_CHECKING:
    from holdfast.core.schema import SchemaStatus

db = typer.Typer(
    help="Bring the database up to date, see what it has, copy it, or encrypt it.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    app.add_typer(db, name="db")


@db.command("status")
def status(as_json: AsJson = False, db: Db = None) -> None:
    """Show the migrations of the database and which releases may use it. Exit code 1 if some are pending."""
    found = _read(find_database(db, None))
    _show(found, as_json=as_json)
    if found.pending or not found.is_usable:
        raise typer.Exit(ExitCode.FAILED)


@db.command("migrate")
def migrate(as_json: AsJson = False, db: Db = None) -> None:
    """Apply the pending migrations. Nodes and clients do the same when they open the database."""
    from holdfast.app import migrate_database

    database = find_database(db, None)
    prepare_file(database, makes_file=True)
    migrate_database(database.settings.url, say)
    _show(_read(database), as_json=as_json)


@db.command("backup")
def backup(
    file: Annotated[str, typer.Argument(help="The file to write. It must not exist yet.")],
    as_json: AsJson = False,
    db: Db = None,
) -> None:
    """Copy a SQLite file as it is at this moment, while nodes work with it.

    Copying the file by other means loses what is still in its write-ahead log, or mixes two states. A
    Postgres database is saved by pg_dump.
    """
    from holdfast.app import backup_database

    database = find_database(db, None)
    prepare_file(database, makes_file=False)

    def report(written: int, expected: int) -> None:
        if not as_json:
            say(f"{written / 1e6:,.0f} of about {expected / 1e6:,.0f} MB written")

    made = backup_database(database.settings.url, file, report)
    if as_json:
        print_json(made, is_pretty=True)
    else:
        say(f"{made.file} is a copy of {made.database}: {made.bytes / 1e6:,.1f} MB", "green")


@db.command("rewrite")
def rewrite(
    plain: Annotated[bool, typer.Option("--plain", help="Without encryption.")] = False,
    as_json: AsJson = False,
    db: Db = None,
) -> None:
    """Encrypt all payloads with the first of the setting `encryption_keys`, after a change of keys. Nodes may
    work meanwhile. If it is interrupted, begin it again. Exit code 1 if some payloads cannot be read."""
    import asyncio

    from holdfast.app import RewriteReport, rewrite_database

    database = find_database(db, None)
    prepare_file(database, makes_file=False)
    said = time.monotonic()

    def progress(table: str, report: RewriteReport) -> None:
        nonlocal said
        if time.monotonic() - said >= _SECONDS_BETWEEN_LINES:
            said = time.monotonic()
            say(f"{table}: {report.rows:,} rows looked at so far, {report.rewritten:,} payloads rewritten")

    report = asyncio.run(rewrite_database(database.settings, progress, plain=plain))
    if as_json:
        print_json(report._asdict(), is_pretty=True)
    say(f"{report.rewritten:,} payloads rewritten, {report.rows:,} rows looked at")
    if report.unreadable:
        say(f"{report.unreadable:,} payloads were left as they are; the first: {report.reason}")
        raise typer.Exit(ExitCode.FAILED)


_SECONDS_BETWEEN_LINES = 2.0


def _read(database: DatabaseOptions) -> SchemaStatus:
    from holdfast.app import read_schema_status

    prepare_file(database, makes_file=False)
    return read_schema_status(database.settings.url)


def _show(found: SchemaStatus, *, as_json: bool) -> None:
    if as_json:
        print_json(_facts(found), is_pretty=True)
        return
    rows = [
        *[[f"{it.number:04}", it.name, "applied", moment_text(it.applied_at)] for it in found.applied],
        *[[f"{it.number:04}", it.name, "newer", moment_text(it.applied_at)] for it in found.newer],
        *[[f"{it.number:04}", it.name, "pending", ""] for it in found.pending],
    ]
    print_table(["MIGRATION", "NAME", "STATE", "APPLIED"], rows, state=2)
    say(_summary(found), "" if found.pending or not found.is_usable else "green")


def _facts(found: SchemaStatus) -> dict[str, object]:
    return {
        "database": found.database,
        "applied": found.applied,
        "pending": found.pending,
        "newer": found.newer,
        "is_usable": found.is_usable,
        "needs": found.needs,
        "oldest_release": found.oldest_release,
    }


def _summary(found: SchemaStatus) -> str:
    if not found.is_usable:
        return f"{found.database} needs a release that knows migration {found.needs:04}: upgrade holdfast"
    oldest = f"; {found.oldest_release} and later may use it" if found.oldest_release else ""
    if found.pending:
        return (
            f"{found.database} has {len(found.pending)} pending: `holdfast db migrate` applies them{oldest}"
        )
    return f"{found.database} is up to date{oldest}"
