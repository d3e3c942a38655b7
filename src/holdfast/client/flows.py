"""Managing flows: `hf.flows`. A flow has a name and numbered versions of its definition.

A published version never changes, because runs are pinned to it. A draft can be replaced until it is
published. Each change is decided here on what was read before. The store refuses it if another client was
faster; then the versions are read and the change is decided again.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from holdfast.core.names import check_not_ours, checked_address_name, checked_name, is_name
from holdfast.core.values import Instant, moment
from holdfast.errors import (
    BadFlow,
    BadOption,
    CannotStore,
    FlowNotFound,
    NotPublished,
    VersionConflict,
    WrongType,
)
from holdfast.ports.flows import DRAFT, PUBLISHED, FlowReader, FlowRecord, FlowStore, FlowVersion

_LONGEST_NAME = 200
_LONGEST_DESCRIPTION = 10_000
_HIGHEST_NUMBER = 2**31 - 1
_MOST_NAMES = 10_000
_TRIES = 20
_LARGEST_PAGE = 1000
_LAST_PAGE = 1_000_000


class FlowInfo(msgspec.Struct, frozen=True):
    id: str
    """Also the name of its workflow: `name`, with a number appended if another flow already has that id."""
    name: str
    description: str
    created_at: dt.datetime


class FlowVersionInfo(msgspec.Struct, frozen=True):
    flow: str
    number: int
    status: str
    """`published` or `draft`"""
    hash: str
    """Equal for definitions that mean the same."""
    definition: str
    """The text as it was given, JSON or YAML."""
    created_at: dt.datetime

    @property
    def id(self) -> str:
        return version_id(self.flow, self.number)


class Flows:
    def __init__(
        self, store: FlowStore, read: FlowReader, *, namespace: str, now: Callable[[], Instant]
    ) -> None:
        self._store = store
        self._read = read
        self._namespace = namespace
        self._now = now
        self._names: dict[str, str | None] = {}

    async def create(self, name: str, description: str = "") -> FlowInfo:
        """Add a flow without versions. Raises BadOption."""
        if not is_name(name) or len(name) > _LONGEST_NAME or "@" in name or "/" in name:
            expected = f"text of 1 to {_LONGEST_NAME} characters without '@', '/' and NUL"
            raise BadOption("name", name, expected)
        name = checked_address_name("name", name)
        check_not_ours(name)
        return _flow_info(
            await self._store.create_flow(
                self._namespace, name, _checked_description(description), self._now()
            )
        )

    async def list(self, page: int = 1, size: int = 10) -> tuple[list[FlowInfo], int]:
        """A page of flows, newest first, and the total. Pages count from 1."""
        _check_number("page", page, _LAST_PAGE)
        _check_number("size", size, _LARGEST_PAGE)
        found, total = await self._store.list_flows(self._namespace, size, (page - 1) * size)
        return [_flow_info(record) for record in found], total

    async def describe(self, flow: str) -> FlowInfo:
        """Raises FlowNotFound."""
        return _flow_info(await self._find(flow))

    async def names(self, ids: Iterable[str]) -> dict[str, str]:
        """The names of the flows among these workflow ids, by id."""
        wanted = set(ids)
        if len(self._names) > _MOST_NAMES:
            self._names.clear()
        for id in wanted - self._names.keys():
            # Safe to cache: a flow keeps its name, and a new flow never gets the id of another workflow.
            record = await self._store.find_flow(self._namespace, id)
            self._names[id] = None if record is None else record.name
        return {id: name for id in wanted if (name := self._names.get(id)) is not None}

    # --- versions

    async def publish(
        self,
        flow: str,
        definition: str | Mapping[str, Any] | None = None,
        version: int | None = None,
        *,
        is_json: bool | None = None,
    ) -> FlowVersionInfo:
        """Publish a version, so that it can be run, under the number `version` or the next free one.

        Publishing the same definition again returns the published version. Without a definition, this
        publishes the draft of that number. Raises BadFlow, FlowNotFound, and VersionConflict if the number is
        published with another definition.
        """
        if definition is None and version is None:
            raise BadOption(
                "definition", None, "that of the new version, or left out for a draft with a number"
            )
        return await self._write(flow, definition, version, PUBLISHED, is_json)

    async def save_draft(
        self,
        flow: str,
        definition: str | Mapping[str, Any],
        version: int | None = None,
        *,
        is_json: bool | None = None,
    ) -> FlowVersionInfo:
        """Store a version that cannot be run yet. It replaces the draft of that number, if there is one.

        The definition is checked when it is published. Raises FlowNotFound, and VersionConflict if that
        number is published with another definition.
        """
        return await self._write(flow, definition, version, DRAFT, is_json)

    async def versions(self, flow: str) -> list[FlowVersionInfo]:
        """All versions, the highest number first. Raises FlowNotFound."""
        return [_version_info(version) for version in await self._versions(flow)]

    async def get(self, flow: str, version: int | None = None) -> FlowVersionInfo:
        """That version, or the highest published one. Raises FlowNotFound, NotPublished."""
        if version is not None:
            _check_number("version", version, _HIGHEST_NUMBER)
        if not is_name(flow):
            raise FlowNotFound(flow, self._namespace)
        found = await self._store.find_flow_version(self._namespace, flow, version)
        if found is not None and found.kind == "flow":
            return _version_info(found)
        await self._find(flow)
        if version is None:
            raise NotPublished(flow)
        raise FlowNotFound(flow, self._namespace, version)

    async def compare(self, flow: str, before: int, after: int) -> list[Any]:
        """The differences between two versions, each with `path`, `kind`, `before` and `after`."""
        first, second = await self.get(flow, before), await self.get(flow, after)
        return await asyncio.to_thread(self._read.compare, first.definition, second.definition)

    # --- reading and writing

    async def _write(
        self,
        flow: str,
        definition: str | Mapping[str, Any] | None,
        number: int | None,
        status: str,
        is_json: bool | None,
    ) -> FlowVersionInfo:
        if number is not None:
            _check_number("version", number, _HIGHEST_NUMBER)
        source = None if definition is None else _source_of(definition)
        is_json = True if isinstance(definition, Mapping) else is_json
        hash = "" if source is None else await self._hash_of(source, is_json, status)
        for _ in range(_TRIES):
            versions = await self._versions(flow)
            known = _version_like(versions, hash, status) if number is None else _numbered(versions, number)
            if number is None and known is not None:
                return _version_info(known)
            if known is None and source is None:
                raise FlowNotFound(flow, self._namespace, number)
            if known is not None and _is_written(known, hash, status, source):
                return _version_info(known)
            if known is not None and known.status == PUBLISHED:
                raise VersionConflict(flow, str(number))
            text, meaning = source, hash
            if text is None:  # publish the draft, which is checked only now
                assert known is not None
                text, meaning = known.source, await self._hash_of(known.source, None, status)
            next_number = number or _next_number(versions)
            _check_number("version", next_number, _HIGHEST_NUMBER)
            new = FlowVersion(flow, next_number, status, meaning, text, self._now())
            replaces = None if known is None else known.hash
            if await self._store.write_flow_version(self._namespace, new, replaces):
                return _version_info(new)
        raise VersionConflict(flow, str(number or _next_number(await self._versions(flow))))

    async def _hash_of(self, source: str, is_json: bool | None, status: str) -> str:
        """The hash of what the definition means, or of its text if it is a draft with mistakes. Raises
        BadFlow if it has mistakes and is not a draft.

        Runs in a thread, because parsing a long definition would block the event loop.
        """
        try:
            return await asyncio.to_thread(self._read.check, source, is_json=is_json)
        except BadFlow:
            if status != DRAFT:
                raise
            return "draft-" + hashlib.sha256(source.encode(errors="surrogatepass")).hexdigest()

    async def _versions(self, flow: str) -> list[FlowVersion]:
        """Raises FlowNotFound."""
        known = await self._store.list_flow_versions(self._namespace, flow) if is_name(flow) else []
        found = [each for each in known if each.kind == "flow"]
        if not found:
            await self._find(flow)
        return found

    async def _find(self, flow: str) -> FlowRecord:
        record = await self._store.find_flow(self._namespace, flow) if is_name(flow) else None
        if record is None:
            raise FlowNotFound(flow, self._namespace)
        return record


def version_id(flow: str, version: str | int) -> str:
    return f"{flow}@{version}"


def parse_version_id(id: str) -> tuple[str, str]:
    """The workflow and the version that the id names. Raises BadOption."""
    workflow, _, version = id.rpartition("@")
    if not is_name(workflow) or not is_name(version):
        raise BadOption("flow_version_id", id, "the id of a flow and the number of a version, as in orders@3")
    return workflow, version


def version_number(text: str) -> int | None:
    """The version as a number; None if no flow can have such a version."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else None


# --- deciding


def _version_like(versions: list[FlowVersion], hash: str, status: str) -> FlowVersion | None:
    """The newest version of that status, if its hash is the same. An older version with the same hash does
    not count: publishing its definition again makes it the newest."""
    newest = next((each for each in versions if each.status == status), None)
    return newest if newest is not None and newest.hash == hash else None


def _numbered(versions: list[FlowVersion], number: int) -> FlowVersion | None:
    return next((each for each in versions if each.number == number), None)


def _is_written(known: FlowVersion, hash: str, status: str, source: str | None) -> bool:
    """Whether there is nothing to write. A draft that equals a published version is that version."""
    is_same = source is None or known.hash == hash
    return is_same and (known.status == PUBLISHED or (status == DRAFT and known.source == source))


def _next_number(versions: list[FlowVersion]) -> int:
    return versions[0].number + 1 if versions else 1


# --- checking and showing


def _source_of(definition: Any) -> str:
    if isinstance(definition, str):
        return str.__str__(definition)
    if not isinstance(definition, Mapping):
        raise WrongType("definition", f"expected text or a map, got {type(definition).__name__}")
    try:
        return msgspec.json.encode(definition).decode()
    except Exception as error:  # the user's objects may raise anything
        raise CannotStore("definition", "it", f"cannot be written as JSON: {error}") from None


def _checked_description(description: Any) -> str:
    if description == "":
        return ""
    if not isinstance(description, str) or len(description) > _LONGEST_DESCRIPTION:
        raise BadOption("description", description, f"text of at most {_LONGEST_DESCRIPTION:,} characters")
    # The same characters as in names are allowed; names are shorter, so check it piece by piece.
    for start in range(0, len(description), 500):
        checked_name("description", description[start : start + 500])
    return str.__str__(description)


def _check_number(option: str, value: object, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise BadOption(option, value, f"a whole number from 1 to {most:,}")


def _flow_info(record: FlowRecord) -> FlowInfo:
    return FlowInfo(record.id, record.name, record.description, moment(record.created_at))


def _version_info(version: FlowVersion) -> FlowVersionInfo:
    return FlowVersionInfo(
        version.flow, version.number, version.status, version.hash, version.source, moment(version.created_at)
    )
