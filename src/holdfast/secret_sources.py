"""Reads the values of secrets: from the environment, from a folder of files, or from a command.

Nothing is written. What a command has printed is kept in memory for a short while, since each task would call
it again; variables and files are read each time, so a new value is used at once.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from holdfast.core.masking import SHORTEST_SECRET
from holdfast.core.secret_names import SourceOfSecrets
from holdfast.errors import BadSecret, SecretNotFound, SecretUnreadable

_LONGEST: Final = 64 * 1024
"""In bytes. Linux allows 128 kB for a variable of the environment."""
_LONGEST_COMPLAINT: Final = 200


class SecretSources:
    """`what` names in messages what is read, and `setting` where users say where it is found."""

    def __init__(
        self,
        sources: Sequence[SourceOfSecrets],
        environment: Mapping[str, str],
        *,
        command_seconds: float = 10,
        cached_seconds: float = 30,
        what: str = "secret",
        setting: str = "secrets",
    ) -> None:
        self._sources = sources
        self._environment = environment
        self._command_seconds = command_seconds
        self._cached_seconds = cached_seconds
        self._what, self._setting = what, setting
        self._cache: dict[str, tuple[float, str]] = {}
        self._lock = threading.Lock()
        """One command at a time: when a thousand tasks start at once, the others find the value in the
        cache."""

    def read_at_once(self, names: Sequence[str]) -> dict[str, str] | None:
        if any(source.kind != "env" for source in self._sources):
            return None
        return self.read(names)

    def read(self, names: Sequence[str]) -> dict[str, str]:
        return {name: self._read(name) for name in names}

    def without_secrets(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment for other processes: without variables of a prefix that is for secrets."""
        prefixes = tuple(each.prefix for each in self._sources if each.kind == "env" and each.prefix)
        return {name: value for name, value in environment.items() if not name.startswith(prefixes)}

    def _read(self, name: str) -> str:
        for source in self._sources:
            if source.kind == "env":
                found = self._environment.get(source.prefix + name)
            elif source.kind == "file":
                found = self._read_file(name, Path(source.folder, name))
            else:
                found = self._ask_command(name, source)
            if found is not None:
                return self._checked(name, found, source)
        raise SecretNotFound(self._what, name, [str(source) for source in self._sources], self._setting)

    def _checked(self, name: str, value: str, source: SourceOfSecrets) -> str:
        if len(value.strip()) < SHORTEST_SECRET:
            raise BadSecret(
                self._what,
                name,
                str(source),
                f"has fewer than {SHORTEST_SECRET} characters, and is not masked safely",
            )
        if "\0" in value or len(value.encode(errors="replace")) > _LONGEST:
            raise BadSecret(self._what, name, str(source), f"has a NUL, or more than {_LONGEST:,} bytes")
        return value

    def _read_file(self, name: str, path: Path) -> str | None:
        try:
            with path.open("rb") as file:
                content = file.read(_LONGEST + 2)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SecretUnreadable(self._what, name, f"{path}: {error.strerror}") from None
        return self._text(name, content, str(path))

    def _ask_command(self, name: str, source: SourceOfSecrets) -> str | None:
        with self._lock:
            known = self._cache.get(name)
            if known is not None and time.monotonic() < known[0]:
                return known[1]
            try:
                ended = subprocess.run(
                    [*source.arguments, name],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=self._command_seconds,
                    env=dict(self._environment),
                    check=False,
                )
            except subprocess.TimeoutExpired:
                problem = f"{source} did not end within {self._command_seconds:g} s"
                raise SecretUnreadable(self._what, name, problem) from None
            except OSError as error:
                raise SecretUnreadable(self._what, name, f"{source}: {error.strerror}") from None
            if ended.returncode != 0:
                complaint = ended.stderr.decode(errors="replace").strip()[-_LONGEST_COMPLAINT:]
                problem = f"{source} exited with code {ended.returncode}: {complaint or 'it said nothing'}"
                raise SecretUnreadable(self._what, name, problem)
            value = self._text(name, ended.stdout, str(source))
            if value:
                self._cache[name] = time.monotonic() + self._cached_seconds, value
            return value or None

    def _text(self, name: str, content: bytes, where: str) -> str:
        """Without the line ending that editors and commands add."""
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise BadSecret(self._what, name, where, "is not UTF-8; use base64 for bytes") from None
        return text.removesuffix("\n").removesuffix("\r")
