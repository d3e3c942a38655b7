"""The JSON Schema of a DAG."""

from __future__ import annotations

from holdfast.authoring.dag.fields import TOP
from holdfast.authoring.documents import json_schema as schemas


def json_schema() -> schemas.Schema:
    return schemas.json_schema(TOP, "A holdfast DAG")
