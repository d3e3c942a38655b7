"""A DAG played by hand; see `tests.authoring.playing`."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

from tests.authoring import playing
from tests.authoring.playing import NULL, failure, json

from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.dag.program import DagProgram
from holdfast.core.codec import Codec
from holdfast.core.history import Past
from holdfast.core.pieces import finish


class Play(playing.Play):
    kind = "dag"

    def __init__(self, text: str, input: Mapping[str, Any] | None = None, **known: Any) -> None:
        self.dag = load_text(dedent(text), file="play.yaml")
        defaults = {name: it.default for name, it in self.dag.inputs.items()}
        super().__init__(defaults | dict(input or {}), known)

    def make(self, past: Past) -> DagProgram:
        program = DagProgram(self.run, self.dag, Codec(100_000), self.pack)
        finish(program.replay(past, 1))
        return program


__all__ = ["NULL", "Play", "failure", "json"]
