"""From the text of a DAG to a `Dag` that can run, or to everything that is wrong with it.

Four steps look for problems. Is it YAML (`yaml_text`)? Does it have the right shape (`shapes`, `fields`)? Can
its texts be read (`reading`)? Does it fit together (`checks`)? Each step leaves out what an earlier one has
refused. With a folder, a fifth step checks the files that the DAG names (`project_files`). All problems are
raised together.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, cast

import msgspec

from holdfast.authoring.dag.checks import check_document
from holdfast.authoring.dag.drafts import DagDraft, PositionedConstant, TaskDraft, Use
from holdfast.authoring.dag.expressions import hashed_form
from holdfast.authoring.dag.fields import TOP
from holdfast.authoring.dag.model import Const, Dag, DagTask, DagWork, Each, FanOut, Ref, Times
from holdfast.authoring.dag.project_files import check_files, refuse_files
from holdfast.authoring.dag.reading import DagDocumentReader
from holdfast.authoring.documents.file_text import read_text
from holdfast.authoring.documents.nodes import MapNode, text_of
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.shapes import conform
from holdfast.authoring.documents.yaml_text import compose
from holdfast.core.policies import TaskOptions
from holdfast.errors import BadDag


def load_text(text: str, *, file: str = "<text>", folder: Path | None = None, has_folder: bool = True) -> Dag:
    """Raises BadDag with all problems. Problems name `file`, and a DAG without a name is called like it.

    With a `folder`, the files that the DAG names are looked for in it, and checked too. Nothing is imported.
    If it is to have no folder at all (`has_folder`), such files are refused.
    """
    problems = Problems(file)
    root = compose(text, problems)
    top = None if root is None else conform(root, TOP, "the DAG", problems)
    if isinstance(top, MapNode):
        document = DagDocumentReader(top, problems, file).read()
        check_document(document, problems)
        if folder is not None:
            check_files(document, folder, problems)
        if not has_folder:
            refuse_files(document, problems)
        problems.raise_if_any()
        return _build(document)
    problems.raise_if_any()
    raise AssertionError("a document without problems is a map")


def load_file(path: str | Path) -> Dag:
    """Raises BadDag with all problems, also those of the files that the DAG names."""
    return load_text(read_text(path, BadDag), file=str(path), folder=Path(path).parent)


# --- the model


def _build(document: DagDraft) -> Dag:
    output = document.output
    return Dag(
        name=document.name,
        description=document.description,
        inputs=document.inputs,
        tasks={name: _task(draft) for name, draft in document.tasks.items()},
        output=None if output is None else {name: use.ref for name, use in output.items()},
        timeout=document.timeout,
        max_parallel=document.max_parallel,
        schedule=document.schedule,
        schedule_input={name: given.source.value for name, given in document.schedule_input.items()},
    )


def _task(draft: TaskDraft) -> DagTask:
    return DagTask(
        name=draft.name,
        work=cast("DagWork", draft.work),
        description=text_of(draft.nodes.get("description")),
        depends_on=tuple(name for name, _ in draft.depends_on),
        runs_on_failure=text_of(draft.nodes.get("on_failure")) == "run",
        when=None if draft.when is None else draft.when.expression,
        inputs=None if draft.inputs is None else {name: _source(it) for name, it in draft.inputs.items()},
        input_type=draft.input_type,
        output_type=draft.output_type,
        fan_out=_fan_out(draft),
        concurrency=draft.concurrency,
        options=TaskOptions(**draft.options),
        env=draft.env,
        workdir=draft.workdir,
    )


def _source(source: Use | PositionedConstant) -> Const | Ref:
    return source.source if isinstance(source, PositionedConstant) else source.ref


def _fan_out(draft: TaskDraft) -> FanOut | None:
    if draft.foreach is not None:
        return Each(draft.foreach.ref)
    if draft.parallel is None:
        return None
    return Times(draft.parallel.ref if isinstance(draft.parallel, Use) else draft.parallel)


# --- its identity


def definition_hash(dag: Dag) -> str:
    """The same for DAGs that do the same. Descriptions, the schedule and the way of writing are left out. The
    order of the tasks counts, since it decides which goes first.

    A field with its default is left out, too, so that a later release can add a field and find the same hash.
    """
    plain: dict[str, Any] = msgspec.to_builtins(dag)
    plain.pop("description", None)
    plain.pop("schedule", None)
    plain.pop("schedule_input", None)
    tasks = zip(plain["tasks"].values(), dag.tasks.values(), strict=True)
    plain["tasks"] = [_hashed_task(fields, task) for fields, task in tasks]
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _hashed_task(fields: dict[str, Any], task: DagTask) -> dict[str, Any]:
    fields.pop("description", None)
    fields["work"] = {name: value for name, value in fields["work"].items() if value is not None}
    if task.when is not None:
        fields["when"] = hashed_form(task.when.tree)
    return fields
