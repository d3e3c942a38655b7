"""Settings: the environment and `holdfast.toml`, read once into one frozen object.

No other module reads `os.environ`. Arguments of `Holdfast(...)` take precedence over the environment, the
environment over the file, and the file over the defaults.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.core.names import ALL_NAMESPACES, BURIED, checked_name
from holdfast.core.oidc import OidcOptions, read_oidc
from holdfast.core.outbound import Outbound, read_outbound
from holdfast.core.public_urls import checked_public_url, without_password
from holdfast.core.retention import RetentionRule, read_retention
from holdfast.core.secret_names import SourceOfSecrets, read_sources
from holdfast.errors import BadFile, BadOption, UnknownSetting

PREFIX = "HOLDFAST_"
LOG_FORMATS = ("text", "json")
_NEVER_ZERO = {
    "lease_seconds",
    "stall_seconds",
    "worker_ttl_seconds",
    "worker_refresh_seconds",
    "queue_lease_seconds",
    "stream_kept_seconds",
    "session_seconds",
}
_OTHER_NAMES = {
    "worker_ttl_seconds": "WORKER_OFFLINE_TTL_SEC",
    "worker_refresh_seconds": "WORKER_REFRESH_INTERVAL_SEC",
}
"""Names that existing deployments use for these variables."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    url: str = "sqlite:///.holdfast/holdfast.db"
    namespace: str = "default"
    key: str = ""
    """What a server knows us by, if `url` is that of a server (https://…)."""
    ca_file: str = ""
    """A file with the certificates of the authorities that may vouch for the server. Empty: those of the
    system."""
    retry_seconds: float = 30
    """How long a call is repeated that the server does not answer."""
    max_payload_bytes: int = 4 * 1024 * 1024
    """The largest argument, result, signal or state value, as JSON."""
    max_step_bytes: int = 2 * 1024**3
    """How many bytes of arguments, results and state a run may ask for in one step. A step is written in one
    transaction, and the node holds it in memory until then."""
    concurrency: int = 1000
    """How many async tasks this node runs at once."""
    threads: int = 32
    """How many plain functions this node runs at once."""
    processes: int = 100
    """How many commands this node runs at once."""
    python_workers: int = 0
    """How many processes run the Python functions of DAGs. 0: one for each core, at least 4."""
    kill_seconds: float = 5
    """How long a process may take to end after SIGTERM before it gets SIGKILL."""
    log_limit: int = 1_000_000
    """How many characters are kept of what an attempt writes, or workflow code in one step: the first ones,
    and a few lines of the end."""
    capture_output: bool = True
    """Whether what tasks and workflows of this process print is in their logs. It is printed in any case."""
    stream_items: int = 100_000
    """How many items are kept of each stream of a run. The oldest are dropped."""
    stream_bytes: int = 64 * 1024 * 1024
    """How many bytes are kept of each stream of a run."""
    stream_kept_seconds: float = 604_800
    """How long items of streams are kept."""
    watch_kept_seconds: float = 3600
    """How long changes are kept for watchers that come back."""
    watch_bytes: int = 256 * 1024 * 1024
    """How many bytes of changes are kept. The oldest are removed."""
    audit_kept_seconds: float = 0
    """How long rows of the audit log are kept. 0: for ever. Nodes remove older ones of their namespace."""
    queues: dict[str, int] = {}
    """How many tasks of a queue this node runs at once. Without an entry, a queue has no limit of its own."""
    retention: dict[str, Any] = {}
    """How long ended runs are kept, by how they ended: {"success": "30d", "failed": "180d"}. The name of a
    workflow may have a table of its own. Nodes delete what is older. Without an entry, runs are kept for
    ever."""
    secrets: tuple[str, ...] = ("env:HOLDFAST_SECRET_",)
    """Where the values of secrets are, in this order: `env:PREFIX`, `file:FOLDER` or `command:PROGRAM`."""
    secret_command_seconds: float = 10
    """How long a command may take to print a secret."""
    secret_cached_seconds: float = 30
    """How long a secret that a command has printed is kept in memory."""
    encryption_keys: tuple[str, ...] = ()
    """The ids of the keys with which payloads are encrypted: the first to write, all to read. Needs the extra
    `encryption`."""
    encryption_sources: tuple[str, ...] = ("env:HOLDFAST_ENCRYPTION_KEY_",)
    """Where these keys are, as in `secrets`."""
    compress_bytes: int = 0
    """Payloads of so many bytes or more are compressed. 0: none, and those that are cannot be read."""
    lease_seconds: float = 15
    """How long a node keeps its runs without renewing its lease."""
    stall_seconds: float = 60
    """How long the event loop of a node may stand still. Then the node gives up its runs and stops."""
    drain_seconds: float = 10
    """How long a stopping node lets tasks finish before it hands them back."""
    open_seconds: float = 60
    """How long opening waits for a database or a server that does not answer."""
    max_resident: int = 10_000
    """How many runs a node holds in memory at most."""
    idle_bytes: int = 64 * 1024 * 1024
    """How many bytes of history the runs may have together that only wait, and stay in memory because it
    would take long to load them again."""
    max_depth: int = 100
    """How many ancestors a run may have. It stops workflows that call themselves without end."""
    max_history: int = 100_000
    """How many steps the history of a run may have. A run that goes on as a new chapter begins a new one."""
    max_steps: int = 10_000
    """How many nodes a run of a flow may visit. It stops flows that loop without end."""
    worker_ttl_seconds: float = 15
    """How long a worker stays online without a heartbeat. Also read from WORKER_OFFLINE_TTL_SEC."""
    worker_refresh_seconds: float = 5
    """How often a server marks workers as offline. Also read from WORKER_REFRESH_INTERVAL_SEC."""
    worker_call_seconds: float = 60
    """How long an HTTP worker may take to answer."""
    worker_wait_seconds: float = 15
    """How long an attempt waits for a worker of its service to come online before it fails."""
    allowed_addresses: tuple[str, ...] = ()
    """Addresses, networks and names of hosts that are not public, and that users may have nodes connect to:
    workers that nodes call, and receivers of webhooks."""
    allowed_origins: str = ""
    """Origins of web pages that may call the HTTP API, such as https://shop.example, separated by commas."""
    trusted_proxies: str = ""
    """Addresses of proxies, separated by commas, whose headers say who the client of the HTTP API is."""
    public_url: str = ""
    """Where browsers find the HTTP API, such as https://holdfast.example, if that is not where it listens."""
    session_seconds: float = 43_200
    """How long somebody who has logged in with a browser stays logged in."""
    session_idle_seconds: float = 7_200
    """After how long without a request they have to log in again. 0: there is no such limit."""
    oidc: dict[str, Any] = {}
    """Login through OpenID Connect: `issuer`, `client_id`, `roles` and more (`OidcOptions`). Needs the extra
    `oidc` and `public_url`."""
    log_format: str = "text"
    """How `holdfast serve`, `worker` and `dev` write log records to stderr: `text`, or `json` for one object
    a line."""
    metrics: bool = False
    """Whether this node counts what it does, and a server shows it under /metrics. Needs the extra
    `metrics`."""
    tracing: bool = False
    """Whether starts, runs and tasks are spans of OpenTelemetry. Needs the extra `tracing`. `holdfast serve`,
    `worker` and `dev` also export them, as the variables OTEL_… say."""
    overdue_seconds: float = 60
    """How long a run may be due and not taken before a server says that it is not ready."""
    queue_lease_seconds: float = 60
    """How long a worker may keep a task from the queue without renewing its lease."""

    def __post_init__(self) -> None:
        for name in (
            "max_payload_bytes",
            "max_step_bytes",
            "concurrency",
            "threads",
            "processes",
            "max_resident",
            "max_depth",
            "max_history",
            "max_steps",
            "stream_items",
            "stream_bytes",
            "watch_bytes",
        ):
            if getattr(self, name) < 1:
                raise BadOption(name, getattr(self, name), "1 or more")
        for name in ("python_workers", "log_limit", "idle_bytes", "compress_bytes"):
            if getattr(self, name) < 0:
                raise BadOption(name, getattr(self, name), "0 or more")
        for name in (it for it in self.__struct_fields__ if it.endswith("_seconds")):
            least = 0.1 if name in _NEVER_ZERO else 0
            if not least <= getattr(self, name) < 1e9:
                raise BadOption(name, getattr(self, name), "a number of seconds")
        for queue, limit in self.queues.items():
            if limit < 1:
                raise BadOption(f"queues[{queue!r}]", limit, "1 or more")
        if self.log_format not in LOG_FORMATS:
            raise BadOption("log_format", self.log_format, " or ".join(LOG_FORMATS))
        checked_public_url(self.public_url)
        _check_proxies(self.trusted_proxies)
        checked_name("namespace", self.namespace)
        if self.namespace == BURIED:
            raise BadOption(
                "namespace", self.namespace, "another name: this one is for runs that are deleted"
            )
        if self.namespace == ALL_NAMESPACES:
            raise BadOption("namespace", self.namespace, "another name: this one stands for all namespaces")
        read_retention(self.retention)
        read_sources("secrets", self.secrets)
        read_sources("encryption_sources", self.encryption_sources)
        for id in self.encryption_keys:
            if re.fullmatch(r"[A-Za-z0-9_.-]{1,50}", id) is None:
                raise BadOption("encryption_keys", id, "ids of letters, digits, _, . and -")
        read_oidc(self.oidc)
        read_outbound(self.allowed_addresses)

    def __repr__(self) -> str:
        """Without the key and the password of the database: settings are logged."""
        shown = {name: getattr(self, name) for name in self.__struct_fields__}
        shown["url"] = without_password(self.url)
        if self.key:
            shown["key"] = "***"
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    @property
    def retention_rules(self) -> tuple[RetentionRule, ...]:
        return read_retention(self.retention)

    @property
    def secret_sources(self) -> tuple[SourceOfSecrets, ...]:
        return read_sources("secrets", self.secrets)

    @property
    def oidc_options(self) -> OidcOptions | None:
        return read_oidc(self.oidc)

    @property
    def outbound(self) -> Outbound:
        return read_outbound(self.allowed_addresses)

    @property
    def lease(self) -> dt.timedelta:
        return dt.timedelta(seconds=self.lease_seconds)

    @property
    def stall(self) -> dt.timedelta:
        return dt.timedelta(seconds=self.stall_seconds)

    @property
    def kill_after(self) -> dt.timedelta:
        return dt.timedelta(seconds=self.kill_seconds)

    @property
    def drain(self) -> dt.timedelta:
        return dt.timedelta(seconds=self.drain_seconds)


def is_server(url: object) -> bool:
    """Whether it is the address of a server, and not of a database."""
    return isinstance(url, str) and url.lower().startswith(("http://", "https://"))


class WorkerAddresses(NamedTuple):
    """The address of the server and that of the worker itself; None if not set."""

    base: str | None
    url: str | None


def worker_addresses() -> WorkerAddresses:
    base = os.environ.get("REGISTRY_URL") or os.environ.get("SCHEDULER_BASE")
    return WorkerAddresses(base or None, os.environ.get("WORKER_URL") or None)


OIDC_SECRET: Final = f"{PREFIX}OIDC_CLIENT_SECRET"
"""A variable. Tasks do not get it: with it, they could log in as this server."""


def read_oidc_secret(options: OidcOptions, environment: Mapping[str, str] | None = None) -> str:
    """The secret by which the identity provider knows this server; empty if there is none. Raises BadFile."""
    if options.client_secret_file:
        try:
            return Path(options.client_secret_file).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            raise BadFile("oidc.client_secret_file", options.client_secret_file, str(error)) from None
    environment = os.environ if environment is None else environment
    return environment.get(OIDC_SECRET, "")


def names_collector(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the environment says where spans are to be sent, as for every program with OpenTelemetry."""
    environment = os.environ if environment is None else environment
    names = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    is_disabled = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return not is_disabled and any(environment.get(name) for name in names)


def names_sampler(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the environment says which traces are kept."""
    environment = os.environ if environment is None else environment
    return bool(environment.get("OTEL_TRACES_SAMPLER"))


def own_environment() -> dict[str, str]:
    """The environment of this process. Processes that it starts get a copy."""
    return dict(os.environ)


_log = logging.getLogger("holdfast")
_TYPES = {field.name: field.type for field in msgspec.structs.fields(Settings)}


def read_settings(
    given: Mapping[str, Any], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Settings:
    """Raises BadOption that names the setting and its source."""
    environment = os.environ if environment is None else environment
    known = set(Settings.__struct_fields__)
    from_file = _read_file((folder or Path.cwd()) / "holdfast.toml")
    from_environment = _read_environment(environment, known)
    settings: dict[str, Any] = {}
    result = Settings()
    for source, values, strict in (
        ("holdfast.toml", from_file, True),
        (_ENVIRONMENT, from_environment, False),
        ("Holdfast(...)", {k: v for k, v in given.items() if v is not None}, True),
    ):
        unknown = set(values) - known
        if unknown:
            raise UnknownSetting(source, min(unknown), values[min(unknown)], known)
        settings |= {name: _typed(name, value, source, strict=strict) for name, value in values.items()}
        try:
            result = Settings(**settings)
        except BadOption as error:
            raise BadOption(f"{error.option} in {source}", error.value, error.expected) from None
    return result


_ENVIRONMENT = "the environment"
_KINDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict[str, int]: "a whole number for each queue",
    tuple[str, ...]: 'a list such as ["file:/run/secrets"]',
    dict[str, Any]: "a table",
}


def _typed(name: str, value: Any, source: str, *, strict: bool) -> Any:
    kind = _TYPES[name]
    try:
        converted = msgspec.convert(value, kind, strict=strict)
    except Exception:  # also half a surrogate pair in the environment, or an error of the value's own methods
        where = f"the variable {PREFIX}{name.upper()}" if source == _ENVIRONMENT else f"{name} in {source}"
        raise BadOption(where, value, _KINDS[kind]) from None
    return str.__str__(converted) if kind is str else converted


def _read_environment(environment: Mapping[str, str], known: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in known:
        text = environment.get(PREFIX + name.upper(), environment.get(_OTHER_NAMES.get(name, "")))
        if text is not None:
            found[name] = _read_json(name, text) if name in _JSON else text
    _warn_of_typing_errors(environment, known)
    return found


def _warn_of_typing_errors(environment: Mapping[str, str], known: set[str]) -> None:
    """Other variables may begin in the same way: a cluster sets some for each service that is called
    holdfast. So they are not refused."""
    for variable in environment:
        name = variable.removeprefix(PREFIX).lower()
        if variable.startswith(PREFIX) and name not in known and not name.startswith(_NO_SETTINGS):
            from difflib import get_close_matches

            near = get_close_matches(name, known, 1, cutoff=0.8)
            if near and variable not in _warned_of:
                _warned_of.add(variable)
                _log.warning("%s is no setting; did you mean %s?", variable, PREFIX + near[0].upper())


_NO_SETTINGS = ("secret_", "encryption_key_")
_warned_of: set[str] = set()

_JSON = {
    "queues": '{"gpu": 1}',
    "retention": '{"success": "30d"}',
    "secrets": '["file:/run/secrets"]',
    "encryption_keys": '["k2", "k1"]',
    "encryption_sources": '["file:/run/secrets"]',
    "allowed_addresses": '["10.0.0.0/8", "hooks.internal"]',
    "oidc": '{"issuer": "https://id.example"}',
}
"""Settings that variables have as JSON, each with an example."""


def _read_json(name: str, text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise BadOption(f"{name} in the environment", text, f"JSON such as {_JSON[name]} ({error})") from None


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadFile.unreadable(path.name, str(path), error) from None
    except (ValueError, RecursionError) as error:
        # Not TOML, not UTF-8, a number of five thousand digits, or deep nesting.
        raise BadFile(path.name, str(path), f"not TOML ({error})") from None


def _check_proxies(setting: str) -> None:
    """Raises BadOption. `*` would believe whatever a client says of its own address."""
    from ipaddress import ip_network

    for proxy in filter(None, map(str.strip, setting.split(","))):
        try:
            ip_network(proxy)
        except ValueError:
            expected = "addresses or networks, such as 10.0.0.7 or 10.1.0.0/16, separated by commas"
            raise BadOption("trusted_proxies", setting, expected) from None


def has_desktop() -> bool:
    """Whether a browser could be shown to the person at this terminal."""
    is_shown = sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    return is_shown and "SSH_CONNECTION" not in os.environ
