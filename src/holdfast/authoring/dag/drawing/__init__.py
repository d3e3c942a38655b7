"""Drawings of a DAG, from `Dag` to text: for a terminal, for Markdown pages (Mermaid), for browsers (SVG)."""

from __future__ import annotations

from holdfast.authoring.dag.drawing.mermaid import as_mermaid
from holdfast.authoring.dag.drawing.rails import as_text
from holdfast.authoring.dag.drawing.svg import as_svg

__all__ = ["as_mermaid", "as_svg", "as_text"]
