"""Bad days of a Postgres: a node waits until they are over, or names what somebody has to do."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.chaos.pooler import pooler_before
from tests.patience import PATIENCE, SOON, until
from tests.stores.builders import raw_connection

from holdfast import Catalog, Holdfast, task, workflow
from holdfast.errors import StoreUnavailable
from holdfast.stores import store_for

_numbers = itertools.count(1)


class Shop:
    """A workflow of one task, which ends when the test says so."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        self.may_end = asyncio.Event()
        self.done = 0

        @task(catalog=self.catalog)
        async def work(number: int) -> int:
            await self.may_end.wait()
            self.done += 1
            return number

        @workflow(catalog=self.catalog)
        async def buy(number: int) -> int:
            return await work(number)

        self.buy = buy

    def holdfast(self, url: str, **settings: Any) -> Holdfast:
        return Holdfast(url, catalog=self.catalog, **settings)


@pytest.fixture
async def shop() -> Shop:
    return Shop()


class Admin:
    """Changes the database as its operators do."""

    def __init__(self, url: str, server: str) -> None:
        self._server = server
        self.database = conninfo_to_dict(url)["dbname"]
        self._host = conninfo_to_dict(url)["host"]
        self.roles: list[str] = []

    def do(self, *statements: str, database: str | None = None) -> None:
        with psycopg.connect(self._server, dbname=database or "postgres", autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def set(self, setting: str) -> None:
        self.do(f"ALTER DATABASE {self.database} SET {setting}")
        self.kick()

    def reset(self, setting: str) -> None:
        self.do(f"ALTER DATABASE {self.database} RESET {setting}")
        self.kick()

    def kick(self) -> None:
        """End every session of the database, as a failover does."""
        self.do(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.database}'")

    def new_role(self, options: str = "") -> str:
        """The URL of a role of its own that may do everything in the schema."""
        role = f"role_{os.getpid()}_{next(_numbers)}"
        self.do(f"CREATE ROLE {role} LOGIN {options}")
        self.roles.append(role)
        self.do(
            f"GRANT ALL ON SCHEMA holdfast TO {role}",
            f"GRANT ALL ON ALL TABLES IN SCHEMA holdfast TO {role}",
            f"GRANT ALL ON ALL SEQUENCES IN SCHEMA holdfast TO {role}",
            database=self.database,
        )
        return f"postgresql://{role}@/{self.database}?host={self._host}"

    def drop_roles(self) -> None:
        for role in self.roles:
            self.do(f"DROP OWNED BY {role}", database=self.database)
            self.do(f"DROP ROLE {role}")


@pytest.fixture
def admin(postgres_url: str, postgres_server: str) -> Iterator[Admin]:
    admin = Admin(postgres_url, postgres_server)
    yield admin
    admin.kick()
    admin.drop_roles()


async def setting_of(url: str, name: str, *, of_engine: bool) -> str:
    store = store_for(url)
    await store.open()
    used = store.for_engine() if of_engine else store
    try:

        def script(tx: Any) -> Any:
            return raw_connection(tx).execute(f"SHOW {name}".encode()).fetchone()[0]

        return await used._driver.write(script)
    finally:
        await store.close()


# --- what a database or role is set to


@pytest.mark.parametrize("of_engine", [True, False])
async def test_commits_are_on_the_disk_though_the_database_is_set_to_answer_before(
    postgres_url: str, admin: Admin, of_engine: bool
) -> None:
    admin.set("synchronous_commit = off")

    assert await setting_of(postgres_url, "synchronous_commit", of_engine=of_engine) == "on"


async def test_a_stricter_setting_for_commits_is_kept(postgres_url: str, admin: Admin) -> None:
    admin.set("synchronous_commit = remote_apply")

    assert await setting_of(postgres_url, "synchronous_commit", of_engine=True) == "remote_apply"


@pytest.mark.parametrize("setting", ["lock_timeout", "idle_session_timeout"])
async def test_limits_of_the_database_do_not_end_our_transactions(
    postgres_url: str, admin: Admin, setting: str
) -> None:
    admin.set(f"{setting} = '7s'")

    assert await setting_of(postgres_url, setting, of_engine=True) == "0"


async def test_a_short_limit_for_statements_does_not_end_ours(
    postgres_url: str, admin: Admin, shop: Shop
) -> None:
    admin.set("statement_timeout = '1ms'")
    shop.may_end.set()

    async with shop.holdfast(postgres_url) as hf:
        assert await (await hf.start(shop.buy, 1)).result(SOON) == 1

    assert await setting_of(postgres_url, "statement_timeout", of_engine=True) == "20s"


# --- what passes


async def spell(
    hf: Holdfast,
    shop: Shop,
    begin: Callable[[], None],
    end: Callable[[], None],
    is_noticed: Callable[[], object] = lambda: True,
) -> None:
    """A run is under way while the bad day comes and goes. It ends well, and so does a run after it."""
    run = await hf.start(shop.buy, 1)
    begin()
    shop.may_end.set()
    await until(lambda: shop.done == 1)
    await until(is_noticed)
    engine: Any = hf._engine
    assert engine.failure is None
    end()

    async with asyncio.timeout(PATIENCE):
        assert await run.result() == 1
        assert await hf.run(shop.buy, 2) == 2


async def test_a_database_that_is_read_only_for_a_while_is_waited_for(
    postgres_url: str, admin: Admin, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    async with shop.holdfast(postgres_url) as hf:
        with caplog.at_level(logging.WARNING):
            await spell(
                hf,
                shop,
                lambda: admin.set("default_transaction_read_only = on"),
                # Nobody ends our sessions this time, and a session keeps the default that it began with.
                lambda: admin.do(f"ALTER DATABASE {admin.database} RESET default_transaction_read_only"),
                lambda: "read-only" in caplog.text,
            )

    said = [record.message for record in caplog.records if "read-only" in record.message]
    assert said
    assert len(said) < 10


async def test_a_node_that_is_opened_while_the_database_is_read_only_waits(
    postgres_url: str, admin: Admin, shop: Shop
) -> None:
    admin.set("default_transaction_read_only = on")
    hf = shop.holdfast(postgres_url)
    opening = asyncio.create_task(hf.open())
    await asyncio.sleep(0.5)
    assert not opening.done()

    admin.reset("default_transaction_read_only")
    await asyncio.wait_for(opening, PATIENCE)
    shop.may_end.set()
    assert await hf.run(shop.buy, 1) == 1
    await hf.close()


async def test_rights_that_are_taken_away_are_waited_for(
    postgres_url: str, admin: Admin, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    url = admin.new_role()
    [role] = admin.roles
    async with shop.holdfast(url) as hf:
        await spell(
            hf,
            shop,
            lambda: admin.do(f"REVOKE ALL ON holdfast.journal FROM {role}", database=admin.database),
            lambda: admin.do(f"GRANT ALL ON holdfast.journal TO {role}", database=admin.database),
            lambda: "permission denied for table journal" in caplog.text,
        )


async def test_a_role_without_rights_is_refused_at_once_and_named(admin: Admin, shop: Shop) -> None:
    url = admin.new_role()
    [role] = admin.roles
    admin.do(f"REVOKE ALL ON ALL TABLES IN SCHEMA holdfast FROM {role}", database=admin.database)

    with pytest.raises(StoreUnavailable, match="cannot be used: permission denied"):
        await shop.holdfast(url, open_seconds=1000).open()


async def test_too_many_connections_are_waited_for(
    admin: Admin, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    url = admin.new_role("CONNECTION LIMIT 8")
    others = [psycopg.connect(url) for _ in range(7)]
    hf = shop.holdfast(url)
    opening = asyncio.create_task(hf.open())
    await until(lambda: "too many connections for role" in caplog.text)
    assert not opening.done()

    for other in others:
        other.close()
    await asyncio.wait_for(opening, PATIENCE)
    shop.may_end.set()
    assert await asyncio.wait_for(hf.run(shop.buy, 1), PATIENCE) == 1
    await hf.close()


async def test_sessions_that_the_server_ends_are_opened_again(
    postgres_url: str, admin: Admin, shop: Shop
) -> None:
    async with shop.holdfast(postgres_url) as hf:
        await spell(hf, shop, admin.kick, admin.kick)


# --- poolers


@pytest.mark.parametrize("mode", ["transaction", "statement"])
async def test_a_pooler_that_shares_sessions_is_refused_at_once_and_named(
    postgres_url: str, shop: Shop, mode: str
) -> None:
    with pooler_before(postgres_url, mode) as between, pytest.raises(StoreUnavailable) as refusal:
        await shop.holdfast(between.url, open_seconds=5).open()

    assert "a pooler gives each transaction another session" in str(refusal.value)
    assert "use the address of Postgres itself, or of a pool with pool_mode = session" in str(refusal.value)


async def test_a_pooler_that_keeps_sessions_is_used(postgres_url: str, shop: Shop) -> None:
    shop.may_end.set()
    with pooler_before(postgres_url, "session") as between:
        async with shop.holdfast(between.url) as hf, shop.holdfast(between.url, engine=False) as client:
            assert await asyncio.wait_for(client.run(shop.buy, 1), PATIENCE) == 1
            assert await asyncio.wait_for(hf.run(shop.buy, 2), PATIENCE) == 2
