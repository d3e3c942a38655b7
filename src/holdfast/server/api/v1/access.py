"""Keys, the audit log, and who one is."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from holdfast.client.audit import AuditInfo
from holdfast.client.client import Client
from holdfast.client.keys import KeyInfo
from holdfast.core.keys import Role
from holdfast.server.access.callers import Caller
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.paging import Limit, Page
from holdfast.server.problems import may_answer


class NewKeyRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    role: Role
    expires: dt.datetime | None = None


class NewKeyAnswer(msgspec.Struct, frozen=True):
    key: KeyInfo
    text: str
    """The key itself. Nobody can get it again."""


@get("/me", name="me", responses=may_answer())
async def who_am_i(caller: NamedDependency[Caller]) -> Caller:
    """Who you are to this server: your name, your role and your namespace."""
    return caller


@get("/keys", name="keys.list", responses=may_answer())
async def list_keys(client: NamedDependency[Client]) -> Page[KeyInfo]:
    """The keys of the namespace, newest first, without their secrets."""
    return Page(await client.keys.list())


@post("/keys", name="keys.create", dto=Body[NewKeyRequest], return_dto=None, responses=may_answer())
async def create_key(
    data: JSONBody[NewKeyRequest],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
) -> NewKeyAnswer:
    """Make a key of the namespace. It is shown in this answer, and never again."""
    made = await client.keys.create(data.name, data.role, expires=data.expires, by=caller.name)
    record.target, record.after = made.info.id, {"name": made.info.name, "role": made.info.role}
    return NewKeyAnswer(made.info, made.text)


@delete("/keys/{id:str}", name="keys.revoke", status_code=200, responses=may_answer(404))
async def revoke_key(
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    id: FromPath[str],
) -> KeyInfo:
    """Refuse the key from now on."""
    revoked = await client.keys.revoke(id, by=caller.name)
    record.before = {"name": revoked.name, "role": revoked.role}
    return revoked


@get("/audit", name="audit.list", responses=may_answer())
async def list_audit(
    client: NamedDependency[Client],
    target: FromQuery[str | None] = None,
    action: FromQuery[str | None] = None,
    after: Annotated[
        int | None, QueryParameter(ge=0, le=2**62, description="`next` of the page before.")
    ] = None,
    limit: Limit = 100,
) -> Page[AuditInfo]:
    """What was changed over HTTP: who, what, when, and what it was before. The newest come first."""
    found = await client.audit.list(limit=limit, after=after, target=target, action=action)
    return Page(found, str(found[-1].number) if len(found) == limit else None)


ROUTES = [who_am_i, list_keys, create_key, revoke_key, list_audit]
