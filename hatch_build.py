"""The web pages go into the wheel and the sdist as they are built. Without them, nothing is packed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildPages(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        document = Path(self.root, "src", "holdfast", "server", "pages", "built", "index.html")
        if version != "editable" and not document.is_file():
            raise FileNotFoundError("the web pages are not built; run `make pages`, and pack again")
