"""A flow played by hand; see `tests.authoring.playing`."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

from tests.authoring import playing
from tests.authoring.playing import NULL, failure, json

from holdfast.authoring.flow.loader import load_flow_text
from holdfast.authoring.flow.program import FlowProgram
from holdfast.core.codec import Codec
from holdfast.core.history import Past
from holdfast.core.pieces import finish
from holdfast.ports.flows import CURSOR


class Play(playing.Play):
    kind = "flow"

    def __init__(
        self,
        text: str,
        params: Mapping[str, Any] | None = None,
        *,
        max_steps: int = 1000,
        limit: int = 100_000,
        **known: Any,
    ) -> None:
        self.flow = load_flow_text(dedent(text), file="play.yaml")
        self.max_steps = max_steps
        self.limit = limit
        super().__init__(params or {}, known)

    def make(self, past: Past) -> FlowProgram:
        program = FlowProgram(self.run, self.flow, Codec(self.limit), self.pack, self.max_steps)
        finish(program.replay(past, 1))
        return program

    @property
    def shared(self) -> dict[str, Any]:
        return {key: value for key, value in self.state.items() if key != CURSOR}

    @property
    def at(self) -> str:
        """Where the cursor is."""
        return self.state[CURSOR]["node"]

    @property
    def is_paused(self) -> bool:
        """Whether it only waits for its next step."""
        assert isinstance(self.program, FlowProgram)
        return self.program._pause is not None

    @property
    def action(self) -> str:
        return self.state[CURSOR]["action"]


__all__ = ["NULL", "Play", "failure", "json"]
