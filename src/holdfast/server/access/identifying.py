"""Finds out who sends a request: by a key, or, if the server asks for none, nobody in particular."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Final, NoReturn

from holdfast.client.keys import KeyInfo, Keys
from holdfast.client.operators import checked_sender
from holdfast.core.keys import Role
from holdfast.core.names import ALL_NAMESPACES, checked_name
from holdfast.errors import BadOption
from holdfast.server.access.callers import Caller
from holdfast.server.access.refusals import Forbidden, TooManyAttempts, Unauthorized
from holdfast.server.access.throttle import Throttle, TooMany

NAMESPACE_HEADER: Final = b"holdfast-namespace"
BY_HEADER: Final = b"holdfast-by"
_BEARER: Final = "bearer "


class Identifier:
    def __init__(self, keys: Keys, namespace: str, *, needs_key: bool) -> None:
        """`namespace` is the server's own. Without `needs_key`, a caller who shows no key may do everything;
        one who shows a key may do what the key allows, all the same."""
        self._keys = keys
        self._namespace = namespace
        self.needs_key = needs_key
        self._throttle = Throttle(time.monotonic)

    async def caller(self, headers: Mapping[bytes, str], address: str) -> Caller:
        """Raises Unauthorized, Forbidden, TooManyAttempts, BadOption; StoreError if the store does not
        answer."""
        given = headers.get(b"authorization")
        if given is None:
            if self.needs_key:
                raise Unauthorized("this server asks for a key")
            return self._nobody(headers)
        if not given.lower().startswith(_BEARER):
            raise Unauthorized("the header Authorization must be: Bearer <key>")
        found = await self._keys.check(given[len(_BEARER) :].strip())
        if found is None:
            await self._refuse(address)
        return self._holder(found, headers)

    async def _refuse(self, address: str) -> NoReturn:
        slowdown = self._throttle.failed(address)
        if isinstance(slowdown, TooMany):
            raise TooManyAttempts(slowdown.retry_after)
        await asyncio.sleep(slowdown.seconds)
        raise Unauthorized("the key is not valid: it does not exist, has expired or was revoked")

    def _nobody(self, headers: Mapping[bytes, str]) -> Caller:
        namespace = headers.get(NAMESPACE_HEADER, self._namespace)
        name = headers.get(BY_HEADER, "")
        return Caller(_checked_by(name), Role.ADMIN, _checked_namespace(namespace))

    def _holder(self, key: KeyInfo, headers: Mapping[bytes, str]) -> Caller:
        own = self._namespace if key.namespace == ALL_NAMESPACES else key.namespace
        namespace = headers.get(NAMESPACE_HEADER, own)
        if namespace != key.namespace and key.namespace != ALL_NAMESPACES:
            raise Forbidden(f"the key is of namespace {key.namespace!r}, and not of {namespace!r}")
        name = headers.get(BY_HEADER, key.name)
        if name != key.name and key.role != Role.ADMIN:
            raise Forbidden("only the key of an admin may say who somebody else is (Holdfast-By)")
        return Caller(_checked_by(name), key.role, _checked_namespace(namespace), key.id)


def _checked_by(name: str) -> str:
    try:
        return checked_sender(_as_utf8(name))
    except BadOption as error:
        raise BadOption("the header Holdfast-By", error.value, error.expected) from None


def _checked_namespace(name: str) -> str:
    name = _as_utf8(name)
    if name == ALL_NAMESPACES:
        raise BadOption("the header Holdfast-Namespace", name, "the name of one namespace")
    return checked_name("the header Holdfast-Namespace", name)


def _as_utf8(text: str) -> str:
    """Headers are bytes, which were read as Latin-1."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text
